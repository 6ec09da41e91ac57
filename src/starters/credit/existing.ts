import type { Words } from '../../domain/job';
import { decisionEntry } from '../../domain/core/audit';
import {
  analysisSubject,
  attemptState,
  reissueByRerun,
  latestAttempt,
  subjectState,
  type SubjectState,
} from '../../domain/core/service/attempts';
import type { AnalysisOutcome, AnalysisRecord } from '../../domain/credit/job';
import { AnalysisRepository } from '../../store/credit/analyses';
import type { CommandContext } from '../jobs/context';
import { CommandError, beingSent } from '../jobs/errors';

type Requested = Pick<AnalysisRecord, 'name' | 'fence'>;

export interface AnalysisOnFile {
  folder: string;
  record: AnalysisRecord;
  /** Null while it is open. */
  outcome: AnalysisOutcome | null;
}

export type ExistingAnalysis =
  | { kind: 'new' }
  /** Runs, or was interrupted. */
  | { kind: 'started'; analysis: AnalysisOnFile }
  /** Bought, or may have been. */
  | { kind: 'ended'; analysis: AnalysisOnFile; state: StartedState };

type StartedState = Exclude<SubjectState, { kind: 'free' }>;

/** The last analysis of the same purchase subject, from the store and the claims. */
export async function existingAnalysis(
  { store }: CommandContext,
  { name, fence }: Requested,
): Promise<ExistingAnalysis> {
  const analyses = new AnalysisRepository(store);
  const own = await newestOf(analyses, name);
  if (own?.outcome === null) return { kind: 'started', analysis: own };
  const claims = own?.record.fence ?? fence;
  if (claims === null) return { kind: 'new' };
  const state = subjectState(await store.attempts.of(analysisSubject(claims)), Date.now());
  if (state.kind === 'free') return { kind: 'new' };
  // Requested by the engine's name, it was another job.
  const [, owner = ''] = state.owner.workflowId.split('/');
  const analysis = (owner === name ? null : await newestOf(analyses, owner)) ?? own;
  if (analysis === null) return { kind: 'new' };
  return analysis.outcome === null
    ? { kind: 'started', analysis }
    : { kind: 'ended', analysis, state };
}

async function newestOf(
  analyses: AnalysisRepository,
  name: string,
): Promise<AnalysisOnFile | null> {
  const newest = await analyses.newest(name);
  if (newest === null) return null;
  const { folder } = newest;
  const record = (await analyses.record(folder)) ?? newest.record;
  return { folder, record, outcome: await analyses.outcome(folder) };
}

/**
 * Gives up a purchase that was made, or may have been: the rerun may be charged again.
 *
 * @throws CommandError when the service has an operation that was not shown to anybody
 */
export async function reissueOnRerun(ctx: CommandContext, request: Requested): Promise<void> {
  const existing = await existingAnalysis(ctx, request);
  if (existing.kind !== 'ended') return;
  const { analysis, state } = existing;
  refuseLateReceipt(analysis, state);
  await giveUp(ctx, analysis.record, state.n);
}

/**
 * A receipt stored after the job's end names the service's operation: adopt it instead of buying it
 * again (decision record 001). An operation that the person was shown may be given up.
 */
/** @param watch the command that follows the operation */
export function lateReceipt(id: string, operationId: string, watch: string): Words {
  return [
    `${id}: the service took it, as operation ${operationId}: \`${watch}\` follows it, \`reissue\` would pay twice`,
    `${id}: o serviço aceitou o envio, como operação ${operationId}: \`${watch}\` a acompanha, e \`reissue\` pagaria duas vezes`,
  ];
}

function refuseLateReceipt({ record, outcome }: AnalysisOnFile, state: SubjectState): void {
  if (state.kind !== 'accepted' || state.externalId === outcome?.operationId) return;
  const { jobId } = record;
  const watch = `diligence resolve ${jobId} --action watch`;
  throw new CommandError(lateReceipt(jobId, state.externalId, watch));
}

/**
 * Stores the resolution of the attempt that the person saw, with its audit event.
 *
 * @param seen number of that attempt's claim; later attempts are not affected
 */
async function giveUp(
  { store, audit, environment }: CommandContext,
  { fence, jobId }: AnalysisRecord,
  seen: number,
): Promise<void> {
  const subject = analysisSubject(fence ?? '');
  const last = latestAttempt(await store.attempts.of(subject));
  if (last?.n !== seen) {
    throw new CommandError([
      `${jobId}: it was sent again just now: \`diligence show ${jobId}\``,
      `${jobId}: acaba de ser enviado de novo: \`diligence show ${jobId}\``,
    ]);
  }
  const now = new Date();
  // While its request is in flight, a resolution would let a second one be sent.
  if (attemptState(last, now.getTime()).kind === 'in_flight') {
    throw new CommandError(beingSent(jobId));
  }
  const by = environment.actor;
  const at = now.getTime();
  await store.attempts.resolve(subject, seen, reissueByRerun(by, at));
  await audit.appendAndAnchor([decisionEntry('reissue', { jobId, by }, {}, at)]);
}
