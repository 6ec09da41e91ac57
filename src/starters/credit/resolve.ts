import { findLarge } from '../../store/core/large-objects';
import {
  analysisSubject,
  subjectState,
  attemptState,
  reissueByRerun,
  latestAttempt,
  type SubjectState,
} from '../../domain/core/service/attempts';
import type { AnalysisOutcome, AnalysisRecord } from '../../domain/credit/job';
import { AnalysisRepository } from '../../store/credit/analyses';
import { CommandError, beingSent } from '../jobs/errors';
import type { CommandContext } from '../jobs/context';
import type { Store } from '../../store/store';
import type { ResolveRequest } from '../jobs/decide/resolve';
import type { JobToRun } from '../jobs/job-kind';
import type { Words } from '../../domain/job';
import { decisionEntry } from '../../domain/core/audit';

/** With the rule engine that was resolved from its name; null: nothing can have been claimed. */
export async function subjectOf(
  store: Store,
  { folder }: Pick<JobToRun<AnalysisRecord>, 'folder'>,
): Promise<string | null> {
  const fence = (await new AnalysisRepository(store).record(folder))?.fence ?? null;
  return fence && analysisSubject(fence);
}

/** @throws CommandError when the service has something else of it than the person assumes */
export async function checkResolution(
  ctx: CommandContext,
  { folder, id, input }: JobToRun<AnalysisRecord>,
  { action }: ResolveRequest,
): Promise<void> {
  const { store } = ctx;
  const subject = await subjectOf(store, { folder });
  const history = subject === null ? [] : await store.attempts.of(subject);
  const state = subjectState(history, Date.now());
  if (action !== 'reissue' && state.kind === 'free')
    throw new CommandError([
      `${id}: the service has nothing of it: \`--action reissue\` sends it`,
      `${id}: o serviço não tem nada dele: \`--action reissue\` envia`,
    ]);
  if (action === 'adopt' && state.kind === 'accepted')
    throw new CommandError([
      `${id} has the operation ${state.externalId}: \`--action watch\` follows it`,
      `${id} já tem a operação ${state.externalId}: \`--action watch\` a acompanha`,
    ]);
  if (action !== 'reissue') return;
  const outcome = await store.jobs.outcome<AnalysisOutcome>(folder);
  // A receipt stored after the end names the service's operation: adopt it, do not buy it again.
  if (state.kind === 'accepted' && state.externalId !== outcome?.operationId)
    throw new CommandError(lateReceipt(id, state.externalId, '--action watch'));
  if (!(await isStored(ctx, input)))
    throw new CommandError([
      `${id}: its file is not in the store any more: \`diligence credit analyze --input FILE --rerun\` sends it`,
      `${id}: o arquivo não está mais armazenado: \`diligence credit analyze --input ARQUIVO --rerun\` envia`,
    ]);
}

/** Whether the upload can be sent again: an erasure may have removed it. */
async function isStored(
  { store }: CommandContext,
  { cnab, xmls }: AnalysisRecord,
): Promise<boolean> {
  for (const input of xmls === null ? [cnab] : [cnab, xmls])
    if ((await findLarge(store, input.key)) === null) return false;
  return true;
}

/** Workflow arguments of a job that was requested by the name of a rule engine. */
export function engineTerms({ fence }: Pick<AnalysisRecord, 'fence'>): { namesEngine?: true } {
  return fence === null ? { namesEngine: true } : {};
}

type Requested = Pick<AnalysisRecord, 'name' | 'fence'>;

export interface AnalysisOnFile {
  folder: string;
  record: AnalysisRecord;
  /** Null while it is open. */
  outcome: AnalysisOutcome | null;
}

type ExistingAnalysis =
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
function lateReceipt(id: string, operationId: string, watch: string): Words {
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
