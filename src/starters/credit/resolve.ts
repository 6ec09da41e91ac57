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
import type { Job, JobToRun } from '../jobs/job-kind';
import { decisionEntry } from '../../domain/core/audit';

/** With the rule engine that was resolved from its name; null: nothing can have been claimed. */
export async function subjectOf(
  store: Store,
  { folder }: Pick<JobToRun<AnalysisRecord>, 'folder'>,
): Promise<string | null> {
  const fence = (await new AnalysisRepository(store).record(folder))?.fence ?? null;
  return fence && analysisSubject(fence);
}

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
    throw lateReceipt(id, state.externalId, '--action watch');
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

type AnalysisJob = Job<AnalysisRecord, AnalysisOutcome>;

interface ExistingAnalysis {
  job: AnalysisJob;
  /** Of the purchase, once the job has ended: made, or perhaps made. */
  state: Exclude<SubjectState, { kind: 'free' }> | null;
}

/** The last analysis of the same purchase subject, from the store and the claims; null: nothing was bought. */
export async function existingAnalysis(
  { store }: CommandContext,
  { name, fence }: Pick<AnalysisRecord, 'name' | 'fence'>,
): Promise<ExistingAnalysis | null> {
  const newestOf = async (of: string) =>
    (await store.jobs.find(`credit/${of}`)) as AnalysisJob | null;
  const own = await newestOf(name);
  if (own?.outcome === null) return { job: own, state: null };
  const subject =
    (own && (await subjectOf(store, own))) ?? (fence === null ? null : analysisSubject(fence));
  if (subject === null) return null;
  const state = subjectState(await store.attempts.of(subject), Date.now());
  if (state.kind === 'free') return null;
  // Requested by the engine's name, it was another job.
  const [, owner = ''] = state.owner.workflowId.split('/');
  const job = (owner === name ? null : await newestOf(owner)) ?? own;
  return job && { job, state: job.outcome === null ? null : state };
}

/**
 * Gives up a purchase that was made, or may have been: the rerun may be charged again. Stores the resolution of
 * the attempt that the person saw, with its audit event; later attempts are not affected.
 */
export async function reissueOnRerun(
  ctx: CommandContext,
  request: Pick<AnalysisRecord, 'name' | 'fence'>,
): Promise<void> {
  const { store, audit, environment } = ctx;
  const { job, state = null } = (await existingAnalysis(ctx, request)) ?? {};
  if (job === undefined || state === null) return;
  const { id, outcome } = job;
  if (state.kind === 'accepted' && state.externalId !== outcome?.operationId)
    throw lateReceipt(id, state.externalId, `diligence resolve ${id} --action watch`);
  const subject = (await subjectOf(store, job)) ?? '';
  const last = latestAttempt(await store.attempts.of(subject));
  if (last?.n !== state.n)
    throw new CommandError([
      `${id}: it was sent again just now: \`diligence show ${id}\``,
      `${id}: acaba de ser enviado de novo: \`diligence show ${id}\``,
    ]);
  const at = Date.now();
  // While its request is in flight, a resolution would let a second one be sent.
  if (attemptState(last, at).kind === 'in_flight') throw new CommandError(beingSent(id));
  const by = environment.actor;
  await store.attempts.resolve(subject, state.n, reissueByRerun(by, at));
  await audit.appendAndAnchor([decisionEntry('reissue', { jobId: id, by }, {}, at)]);
}

/**
 * A receipt stored after the job's end names the service's operation: adopt it instead of buying it again (decision
 * record 001). An operation that the person was shown may be given up.
 * @param watch the command that follows the operation
 */
function lateReceipt(id: string, operationId: string, watch: string): CommandError {
  return new CommandError([
    `${id}: the service took it, as operation ${operationId}: \`${watch}\` follows it, \`reissue\` would pay twice`,
    `${id}: o serviço aceitou o envio, como operação ${operationId}: \`${watch}\` a acompanha, e \`reissue\` pagaria duas vezes`,
  ]);
}
