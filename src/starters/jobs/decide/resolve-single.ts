import { startEntry } from '../../../domain/audit-entries';
import type { DecisionRecord } from '../../../domain/core/decision';
import { latestAttempt, subjectState } from '../../../domain/core/service/attempts';
import { queueName } from '../../../domain/core/queues';
import type { JobRow } from '../../../store/core/jobs/job-rows';
import type { EngineClient } from '../../../temporal/connection';
import { attributesAtStart } from '../../../workflows/core/search-attributes';
import { isRunning, type CommandContext } from '../context';
import { CommandError, stillRuns, beingSent } from '../errors';
import type { Continuation, Resolver, ResolveRequest } from './resolve';

/** Common to the inputs of all single jobs. */
export interface SingleInput {
  jobId: string;
  createdAt: string;
  createdBy: string;
}

/** What a kind of single job adds when a resolution starts the next job. */
export interface SingleRules<Input extends SingleInput> {
  workflow: string;
  /** Subject of the purchase; null: nothing is fenced. */
  fence: (ctx: CommandContext, input: Input) => Promise<string | null>;
  /** Workflow arguments besides deadline and queues. @param input of the next job */
  args: (ctx: CommandContext, input: Input, folder: string) => Promise<object> | object;
  /** Fields in which the next job's input differs. */
  changed?: (
    ctx: CommandContext,
    job: JobRow,
    input: Input,
    decision: DecisionRecord,
  ) => Promise<Partial<Input>>;
  check?: (
    ctx: CommandContext,
    job: JobRow,
    input: Input,
    request: ResolveRequest,
  ) => Promise<void>;
}

/** Actions that start a next job. */
const goesOn = new Set(['reissue', 'watch', 'adopt', 'retry']);

/** Resolves jobs that have ended: a continuation is a new job of the same input. */
export function singleResolver<Input extends SingleInput>(rules: SingleRules<Input>): Resolver {
  return {
    async check(ctx, engine, job, request) {
      const input = await inputOf<Input>(ctx, job);
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
      await refuseInFlight(ctx, await rules.fence(ctx, input), job.id);
      await rules.check?.(ctx, job, input, request);
    },
    async carryOut(ctx, engine, job, decision, deadlineMs) {
      const input = await inputOf<Input>(ctx, job);
      await resolveAttempt(ctx, await rules.fence(ctx, input), job, decision);
      if (!goesOn.has(decision.action)) return null;
      return startNext(ctx, engine, job, { input, decision, rules, deadlineMs });
    },
  };
}

async function inputOf<Input>({ store }: CommandContext, { folder, id }: JobRow): Promise<Input> {
  const input = await store.jobs.input<Input>(folder);
  if (input === null)
    throw new CommandError([
      `${id}: its request is not in the store any more`,
      `${id}: o seu pedido não está mais armazenado`,
    ]);
  return input;
}

/** Without the instant: the same for every job of one request. */
function itemOf(idOrFolder: string): string {
  return idOrFolder.replace(/[^/]+$/, '');
}

/** While its request is in flight, a resolution would let a second one be sent. */
async function refuseInFlight(
  { store }: CommandContext,
  subject: string | null,
  id: string,
): Promise<void> {
  if (subject === null) return;
  const state = subjectState(await store.attempts.of(subject), Date.now());
  if (state.kind === 'in_flight') throw new CommandError(beingSent(id));
}

/**
 * Resolves the attempt that the person saw: one sent after the resolution is not affected, also when the
 * resolution runs again. If the receipt of an unknown outcome came late, the next job adopts what the service
 * has.
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
  const isMeant =
    action === 'adopt'
      ? state.kind === 'unknown' || (state.kind === 'accepted' && state.externalId !== externalId)
      : state.kind === 'unknown' || (state.kind === 'accepted' && status !== 'unknown_outcome');
  if (!isMeant) return;
  await store.attempts.resolve(subject, last.n, {
    action,
    externalId,
    by,
    note,
    at: Date.parse(at),
  });
}

/** The resolution's instant names the next job: run again, it is the same job. */
async function startNext<Input extends SingleInput>(
  ctx: CommandContext,
  engine: EngineClient,
  job: JobRow,
  {
    input,
    decision,
    rules,
    deadlineMs,
  }: { input: Input; decision: DecisionRecord; rules: SingleRules<Input>; deadlineMs: number },
): Promise<Continuation> {
  const { store, audit, queueSuffix } = ctx;
  const { action, at, by, number } = decision;
  const instant = at.replace(/[-:.]/g, '');
  const [id, folder] = [job.id, job.folder].map((name) => `${itemOf(name)}${instant}`) as [
    string,
    string,
  ];
  const changed = await rules.changed?.(ctx, job, input, decision);
  const next: Input = { ...input, jobId: id, createdAt: at, createdBy: by, ...changed };
  for (const part of ['', '/asked'])
    await store.subjects.add(
      `${folder}${part}`,
      await store.subjects.heldBy([`${job.folder}${part}`]),
    );
  const terms = { items: 1, onUnknown: `decision-${number}`, rerun: action === 'reissue' };
  const start = { id, kind: job.kind, createdAt: at, label: job.label };
  const entry = startEntry({ jobId: id, by }, terms, Date.parse(at));
  if (await store.jobs.start(folder, start, next, [entry])) await audit.anchor();
  await store.jobs.inheritOutput(id, job.id);
  const workflowId = itemOf(id).slice(0, -1);
  if ((await store.jobs.outcome(folder)) !== null) return { id, workflowId };
  const args = await rules.args(ctx, next, folder);
  await engine.client.workflow.start(rules.workflow, {
    workflowId,
    taskQueue: queueName('workflows', queueSuffix),
    args: [{ deadlineAt: Date.now() + deadlineMs, queueSuffix, ...args }],
    typedSearchAttributes: attributesAtStart(job.kind as 'trace', id),
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    priority: { priorityKey: 1 },
  });
  return { id, workflowId };
}
