import { stateWord } from '../../report/words';
import { CertificateJobs, type LatestEdition } from '../../store/certificates/jobs';
import { queueName } from '../../domain/core/queues';
import type { DecidedRow } from '../../domain/core/decision';
import type { CertificateRecord } from '../../domain/certificates/job';
import { openDecisions } from '../../store/core/jobs/inbox';
import type { JobRow } from '../../store/core/jobs/job-rows';
import type { EngineClient } from '../../temporal/connection';
import type { certificateResolve } from '../../workflows/certificates/certificate-resolve';
import { attributesAtStart } from '../../workflows/core/search-attributes';
import { isRunning, type CommandContext } from '../jobs/context';
import { CommandError, UsageError, stillRuns } from '../jobs/errors';
import { findJob } from '../jobs/find-job';
import { workflowIdOf } from '../../domain/job';
import type { Job } from '../jobs/job-kind';
import { laneIds } from './progress';
import { issuingTerms } from './input';
import type { ResolveRequest, Resolver, RowSelection } from '../jobs/decide/resolve';
import { certificateSubject, subjectState } from '../../domain/core/service/attempts';

export const openStatuses = ['unknown_outcome', 'failed', 'expired', 'cancelled'] as const;

/** A resolution of rows: lanes of its own workflow carry it out, and the job is counted again. */
export const certificateResolver: Resolver = {
  endsByItself: true,
  async rows(ctx, job, request) {
    const { action, externalId } = request;
    const rows = await chooseRows(ctx, job, request);
    if (action === 'adopt' && rows.length !== 1)
      throw new UsageError([
        '--action adopt takes exactly one row: name it with --row or --line',
        '--action adopt vale para uma única linha: indique-a com --row ou --line',
      ]);
    const [only] = rows;
    if (externalId !== null && only !== undefined)
      await refuseForeignId(ctx, job.folder, only, externalId);
    return rows;
  },
  check: async (ctx, engine, { id }) =>
    refuseWhileRunning(ctx, engine, await findJob<CertificateRecord, LatestEdition>(ctx, id)),
  async carryOut(ctx, engine, { folder, id }, decision, deadline) {
    const { input } = await findJob<CertificateRecord, LatestEdition>(ctx, id);
    const { number, rows } = decision;
    const workflowId = `${id}/decision-${number}`;
    const list = { folder, items: input.items, outcomesIn: folder };
    const given = { deadline, maxAge: 7 * 86_400_000, onUnknown: 'report' } as const;
    const terms = issuingTerms(ctx, given, rows.length <= 10);
    await engine.client.workflow.start<typeof certificateResolve>('certificateResolve', {
      workflowId,
      taskQueue: queueName('workflows', ctx.queueSuffix),
      args: [{ jobId: id, list, decision: number, terms, concurrency: 100 }],
      typedSearchAttributes: attributesAtStart('certificate-decision', id),
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });
    return { id, workflowId };
  },
};

/** The selected rows, by what is stored now: issued rows are never included. */
async function chooseRows(
  ctx: CommandContext,
  { folder, kind }: JobRow,
  { rows }: Pick<ResolveRequest, 'rows'>,
): Promise<DecidedRow[]> {
  const { all, lines, rowIndexes, statuses } = rows ?? selectionOf(kind);
  const numbers = rowIndexes ?? lines;
  const named = numbers === undefined ? null : new Set(numbers);
  const wantedStatuses = new Set<string>(
    statuses ?? (all === true ? ['unknown_outcome', 'failed', 'expired'] : openStatuses),
  );
  const chosen: DecidedRow[] = [];
  for await (const page of new CertificateJobs(ctx.store).withOutcomes(folder)) {
    for (const { row, outcome } of page) {
      // A line without a valid document has no row: the selection reports it as not found.
      if (row.kind !== 'item' || row.erased) continue;
      const { item, line } = row;
      if (named !== null && !named.delete(rowIndexes === undefined ? line : item)) continue;
      const { status, certidaoId, attempts } = outcome ?? neverSent;
      if (status === 'issued' || !wantedStatuses.has(status)) {
        if (named === null) continue;
        throw new CommandError([
          `line ${line} is ${status}: there is nothing to resolve`,
          `linha ${line}: ${stateWord(status, 'pt')}, nada a resolver`,
        ]);
      }
      chosen.push({ item, line, status, certidaoId, attempts });
    }
  }
  if (named !== null && named.size > 0) {
    const missing = [...named].join(', ');
    const [noun, term] = rowIndexes === undefined ? ['line', 'linha'] : ['row', '--row'];
    throw new CommandError([
      `${noun} ${missing}: not a line that can be issued (blank, invalid, erased, or a duplicate: name its first line)`,
      `${term} ${missing}: não é uma linha que possa ser emitida (em branco, inválida, eliminada ou duplicada: indique a primeira)`,
    ]);
  }
  return chosen;
}

function selectionOf(kind: JobRow['kind']): RowSelection {
  if (kind === 'certificate') return { statuses: openStatuses };
  throw new UsageError([
    'which rows? expected one of --row, --line, --status or --all',
    'quais linhas? informe --row, --line, --status ou --all',
  ]);
}

/** An ended job without a stored outcome of an item never requested it. */
const neverSent = { status: 'cancelled', certidaoId: null, attempts: 0 } as const;

/** Rows of a running job or resolution may be in flight: they can be resolved when it has ended. */
async function refuseWhileRunning(
  ctx: CommandContext,
  engine: EngineClient,
  { folder, id }: Job<CertificateRecord, LatestEdition>,
): Promise<void> {
  const ids = [workflowIdOf(id), ...laneIds(id)];
  for (const number of await openDecisions(ctx.store, folder)) {
    const decisionId = `${id}/decision-${number}`;
    ids.push(decisionId, ...laneIds(decisionId));
  }
  for (const running of new Set(ids))
    if (await isRunning(engine, running)) throw new CommandError(stillRuns(id));
}

/**
 * Refuses an id that belongs to another row: a lost issuance has an id that this store has not seen,
 * and adopting a known id would give this row another row's evidence.
 */
async function refuseForeignId(
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
