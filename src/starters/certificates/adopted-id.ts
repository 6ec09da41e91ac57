import { CertificateJobs } from '../../store/certificates/jobs';
import { certificateSubject, subjectState } from '../../domain/core/service/attempts';
import type { DecidedRow } from '../../domain/core/decision';
import { CommandError } from '../jobs/errors';
import type { CommandContext } from '../jobs/context';

/**
 * Refuses an id that belongs to another row: a lost issuance has an id that this store has not seen,
 * and adopting a known id would give this row another row's evidence.
 *
 * @throws CommandError
 */
export async function refuseForeignId(
  ctx: CommandContext,
  folder: string,
  row: DecidedRow,
  certidaoId: string,
): Promise<void> {
  if (await isOwn(ctx, folder, row, certidaoId)) return;
  const isOnFile = (await ctx.store.facts.of(certidaoId)) !== null;
  if (isOnFile || (await isOfAnotherRow(ctx, folder, row, certidaoId))) {
    throw new CommandError([
      `${certidaoId} is stored for another row, and line ${row.line} would get that one's certificate: ask the service for the id of the request of this line`,
      `${certidaoId} pertence a outra linha, e a linha ${row.line} receberia a certidão dela: peça ao serviço o id da solicitação desta linha`,
    ]);
  }
}

/** Adopted earlier for the same purchase subject. */
async function isOwn(
  { store, idKey }: CommandContext,
  folder: string,
  row: DecidedRow,
  certidaoId: string,
): Promise<boolean> {
  const { type, document } = await new CertificateJobs(store).item(
    { folder, items: 0, outcomesIn: folder },
    row.item,
  );
  const subject = certificateSubject(type, idKey.nameOf('document', document));
  const state = subjectState(await store.attempts.of(subject), Date.now());
  return state.kind === 'accepted' && state.externalId === certidaoId;
}

/** Accepted for another row, and not settled. */
async function isOfAnotherRow(
  { store }: CommandContext,
  folder: string,
  row: DecidedRow,
  certidaoId: string,
): Promise<boolean> {
  for await (const outcome of store.outcomes.all(folder)) {
    if (outcome.item !== row.item && outcome.certidaoId === certidaoId) return true;
  }
  return false;
}
