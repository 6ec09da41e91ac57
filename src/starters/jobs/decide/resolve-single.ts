import { startEntry } from '../../../domain/audit-entries';
import type { DecisionRecord } from '../../../domain/core/decision';
import { latestAttempt, subjectState } from '../../../domain/core/service/attempts';
import { queueName } from '../../../domain/core/queues';
import type { FoundJob } from '../../../store/core/jobs/inbox';
import type { EngineClient } from '../../../temporal/connection';
import { attributesAtStart } from '../../../workflows/core/search-attributes';
import { isRunning, type CommandContext } from '../context';
import { CommandError, stillRuns, beingSent } from '../errors';
import type { Continuation, Resolver, ResolveRequest } from './resolve';

/** What inputs of jobs about one thing have in common. */
export interface SingleInput {
  jobId: string;
  createdAt: string;
  createdBy: string;
}

/** What tells jobs about one thing from others, when a decision starts the next one. */
export interface SingleRules<Input extends SingleInput> {
  workflow: string;
  /** Of what is bought; null: nothing is fenced. */
  fence: (ctx: CommandContext, input: Input) => Promise<string | null>;
  /** Of the workflow, beside its deadline and queues. @param input of the next job */
  args: (ctx: CommandContext, input: Input, folder: string) => Promise<object> | object;
  /** What the next job asks for otherwise. */
  changed?: (
    ctx: CommandContext,
    job: FoundJob,
    input: Input,
    decision: DecisionRecord,
  ) => Promise<Partial<Input>>;
  check?: (
    ctx: CommandContext,
    job: FoundJob,
    input: Input,
    request: ResolveRequest,
  ) => Promise<void>;
}

/** Actions after which the next job goes on. */
const goesOn = new Set(['reissue', 'watch', 'adopt', 'retry']);

/** Decisions about jobs that have ended: each goes on as a job of the same input. */
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

async function inputOf<Input>({ store }: CommandContext, { folder, id }: FoundJob): Promise<Input> {
  const input = await store.jobs.input<Input>(folder);
  if (input === null)
    throw new CommandError([
      `${id}: its request is not in the store any more`,
      `${id}: o seu pedido não está mais armazenado`,
    ]);
  return input;
}

/** Without the instant: of all the times that the same was asked for. */
function itemOf(idOrFolder: string): string {
  return idOrFolder.replace(/[^/]+$/, '');
}

/** Resolved, it would let a second one leave beside it. */
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
 * Of the request that the person saw: what was sent after the decision is another matter, also when it is
 * carried out again. Of an unknown outcome whose receipt came late the next job takes up what the service has.
 */
async function resolveAttempt(
  { store }: CommandContext,
  subject: string | null,
  { status }: FoundJob,
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

/** The next job is named by the instant of the decision: begun again, it is the same. */
async function startNext<Input extends SingleInput>(
  ctx: CommandContext,
  engine: EngineClient,
  job: FoundJob,
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
