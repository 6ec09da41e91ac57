import { startEntry } from '../../../domain/audit-entries';
import type { DecisionRecord } from '../../../domain/core/decision';
import { latestAttempt, subjectState } from '../../../domain/core/service/attempts';
import type { JobRow } from '../../../store/core/jobs/job-rows';
import type { EngineClient } from '../../../temporal/connection';
import { startWorkflow } from '../begin/start-job';
import { isRunning, type CommandContext } from '../context';
import { CommandError, stillRuns, beingSent } from '../errors';
import type { JobKind, JobToRun } from '../job-kind';
import { nothingGoesOn, type Continuation, type Resolver } from './resolve';

export interface SingleInput {
  jobId: string;
  createdAt: string;
  createdBy: string;
}

/** Actions that start a next job. */
const goesOn = new Set(['reissue', 'watch', 'adopt', 'retry']);

export function resolverOf(kind: JobKind): Resolver {
  if (kind.resolver !== undefined) return kind.resolver();
  return kind.workflow === undefined ? nothingGoesOn : singleResolver(kind as JobKind<SingleInput>);
}

/** Resolves jobs that have ended: a continuation is a new job of the same input. */
export function singleResolver<Input extends SingleInput>(kind: JobKind<Input>): Resolver {
  const subjectOf = async (ctx: CommandContext, job: JobToRun<Input>): Promise<string | null> =>
    (await kind.subject?.(ctx.store, job)) ?? null;
  return {
    async check(ctx, engine, found, request) {
      const job = await runOf<Input>(ctx, found);
      const newest = await ctx.store.jobs.last<Input>(itemOf(job.folder));
      if (newest !== null && newest.folder !== job.folder) {
        const { jobId } = newest.record;
        throw new CommandError([
          `${job.id}: ordered again since: resolve ${jobId}`,
          `${job.id}: foi pedido de novo depois: resolva ${jobId}`,
        ]);
      }
      if (await isRunning(engine, itemOf(job.id).slice(0, -1)))
        throw new CommandError(stillRuns(job.id));
      const subject = await subjectOf(ctx, job);
      const attempts = subject === null ? [] : await ctx.store.attempts.of(subject);
      // While its request is in flight, a resolution would let a second one be sent.
      if (subjectState(attempts, Date.now()).kind === 'in_flight')
        throw new CommandError(beingSent(job.id));
      await kind.checkResolution?.(ctx, job, request);
    },
    async carryOut(ctx, engine, found, decision, deadlineMs) {
      const job = await runOf<Input>(ctx, found);
      await resolveAttempt(ctx, await subjectOf(ctx, job), found, decision);
      if (!goesOn.has(decision.action)) return null;
      return startNext(ctx, engine, kind, job, found.label, decision, deadlineMs);
    },
  };
}

async function runOf<Input>(
  { store }: CommandContext,
  { folder, id }: JobRow,
): Promise<JobToRun<Input>> {
  const input = await store.jobs.input<Input>(folder);
  if (input !== null) return { id, folder, input };
  throw new CommandError([
    `${id}: its request is not in the store any more`,
    `${id}: o seu pedido não está mais armazenado`,
  ]);
}

/** Without the instant: the same for every job of one request. */
function itemOf(idOrFolder: string): string {
  return idOrFolder.replace(/[^/]+$/, '');
}

/**
 * Resolves the attempt that the person saw: one sent after the resolution is not affected, also when the resolution
 * runs again. If the receipt of an unknown outcome came late, the next job adopts what the service has.
 */
async function resolveAttempt(
  { store }: CommandContext,
  subject: string | null,
  { status }: JobRow,
  { action, at, by, externalId, note }: DecisionRecord,
): Promise<void> {
  if (subject === null) return;
  if (action !== 'reissue' && action !== 'abandon' && action !== 'adopt') return;
  const history = await store.attempts.of(subject);
  const last = latestAttempt(history);
  if (last === null || last.claim.claimedAt > Date.parse(at)) return;
  const state = subjectState(history, Date.now());
  const isOther =
    state.kind === 'accepted' &&
    (action === 'adopt' ? state.externalId !== externalId : status !== 'unknown_outcome');
  if (state.kind !== 'unknown' && !isOther) return;
  const resolution = { action, externalId, by, note, at: Date.parse(at) };
  await store.attempts.resolve(subject, last.n, resolution);
}

/** The resolution's instant names the next job: run again, it is the same job. */
async function startNext<Input extends SingleInput>(
  ctx: CommandContext,
  engine: EngineClient,
  kind: JobKind<Input>,
  job: JobToRun<Input>,
  label: string | null,
  { action, at, by, number }: DecisionRecord,
  deadlineMs: number,
): Promise<Continuation> {
  const { store, audit } = ctx;
  const instant = at.replace(/[-:.]/g, '');
  const id = `${itemOf(job.id)}${instant}`;
  const folder = `${itemOf(job.folder)}${instant}`;
  const changed = await kind.changed?.(ctx, job, action);
  const input: Input = { ...job.input, jobId: id, createdAt: at, createdBy: by, ...changed };
  for (const part of ['', '/asked']) {
    const held = await store.subjects.heldBy([`${job.folder}${part}`]);
    await store.subjects.add(`${folder}${part}`, held);
  }
  const terms = { items: 1, onUnknown: `decision-${number}`, rerun: action === 'reissue' };
  const start = { id, kind: kind.kind, createdAt: at, label };
  const entry = startEntry({ jobId: id, by }, terms, Date.parse(at));
  if (await store.jobs.start(folder, start, input, [entry])) await audit.anchor();
  await store.jobs.inheritOutput(id, job.id);
  const workflowId = itemOf(id).slice(0, -1);
  if ((await store.jobs.outcome(folder)) === null)
    await startWorkflow(
      ctx,
      engine,
      kind,
      { id, folder, input },
      {
        workflowId,
        run: { deadlineMs, atOnce: true },
      },
    );
  return { id, workflowId };
}
