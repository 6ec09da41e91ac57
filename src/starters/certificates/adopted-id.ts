import { CertificateJobs } from '../../store/certificates/jobs';
import { certificateSubject, subjectState } from '../../domain/core/service/attempts';
import type { DecidedRow } from '../../domain/core/decision';
import { CommandError } from '../jobs/errors';
import type { CommandContext } from '../jobs/context';

/**
 * The id of an issuance that was lost is one that nobody here has seen. One that is on file belongs
 * to another row, and would put that one's evidence into this.
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

/** Adopted for the same thing before. */
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

/** Accepted for it, and not settled yet. */
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
