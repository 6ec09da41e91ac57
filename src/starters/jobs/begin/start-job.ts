import {
  WorkflowExecutionAlreadyStartedError,
  type WorkflowIdReusePolicy,
} from '@temporalio/client';
import { startEntry, type StartDetails } from '../../../domain/audit-entries';
import { queueName } from '../../../domain/core/queues';
import type { EngineClient } from '../../../temporal/connection';
import type { WorkflowKind } from '../../../domain/core/search-attributes';
import { refuseMissingSearchAttributes } from '../../../temporal/search-attributes';
import { attributesAtStart, jobIdOf } from '../../../workflows/core/search-attributes';
import { isRunning, type CommandContext } from '../context';
import { findJob } from '../find-job';
import { inputOf, isOfKind, type Job, type JobKind, type JobToRun } from '../job-kind';

/** A job to start, looked up before anything is stored or sent. */
export interface StartPlan<Input, Outcome> {
  /** The newest job of the same request; null: there is none. */
  existing: Job<Input, Outcome> | null;
  /** The outcome of that job is the answer. */
  isAnswer: boolean;
  record(): Promise<string>;
  /** Whether an interrupted job is resumed; default: yes. Otherwise a new one is stored. */
  goesOn?(job: Job<Input, Outcome>): boolean;
  /** Called for a running job before it is followed. */
  attach?(engine: EngineClient, job: Job<Input, Outcome>): Promise<void>;
  /** Milliseconds, of the workflow of the kind; else a workflow, and its input for the job, which may be an existing one. */
  run: number | { workflow: string; input(job: Job<Input, Outcome>): object };
  /** Called before a job that does not run is started: withdraws the stored stop of its parts. */
  release?(job: Job<Input, Outcome>): Promise<void>;
  /** Called on our own job before it is removed, because another job holds the workflow id. */
  withdraw?(job: Job<Input, Outcome>): Promise<void>;
  /** Default: an ended workflow may run again under its id. */
  reuse?: WorkflowIdReusePolicy;
  /** It may need no request: then storing it ends it, before a client is opened. */
  mayEndAtOnce?: true;
  /** Lower priority: no user waits for this job alone. */
  isBatch?: true;
  /** Lines that cannot be requested: shown before the start. */
  problems?: readonly LineProblem[];
  /** Dry run of a job with more than one request. */
  foresee?(): Promise<Foreseen>;
}

export type StartTerms<Input, Outcome> = Pick<
  StartPlan<Input, Outcome>,
  'run' | 'release' | 'withdraw' | 'reuse' | 'isBatch'
>;

export interface Foreseen {
  request: number;
  reuse: number;
  /** Would be followed, not bought again. */
  underWay: number;
  /** Of unknown outcome in another job: stay so until a person resolves them. */
  unknown: number;
  problems: LineProblem[];
  left?: Readonly<Record<string, number>>;
  /** Other lines shown before the job starts. */
  lines?: readonly string[];
}

/** An input line that a person must check. */
export interface LineProblem {
  line: number;
  status: string;
  code: string | null;
  message: string;
  /** The user's reference of the line; left out: none. */
  reference?: string;
}

export function problemOf({
  code,
  kind: status,
  line,
  message,
  reference,
}: { kind: string; code: string } & Required<Omit<LineProblem, 'status' | 'code'>>): LineProblem {
  return { line, status, code, message, ...(reference !== '' && { reference }) };
}

type RefusedLine = Parameters<typeof problemOf>[0];

/** Dry run of rows. @param foresee what would become of one; null: nothing is requested for it */
export async function foreseeRows<Row extends Pick<RefusedLine, 'kind' | 'line'>>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  foresee: (row: Row) => Promise<'request' | 'reuse' | 'underWay' | 'unknown' | null>,
): Promise<Foreseen> {
  const found: Foreseen = { request: 0, reuse: 0, underWay: 0, unknown: 0, problems: [] };
  for await (const row of rows) {
    if ('code' in row) found.problems.push(problemOf(row as Row & RefusedLine));
    const word = await foresee(row);
    if (word !== null) found[word] += 1;
  }
  return found;
}

/**
 * Starts a stored job, or attaches to the one that runs under its workflow id.
 * @returns the running job: another command may have started the same request a moment before
 */
export async function startJob<Input, Outcome>(
  ctx: CommandContext,
  engine: EngineClient,
  kind: JobKind<Input, Outcome>,
  job: Job<Input, Outcome>,
  plan: StartTerms<Input, Outcome>,
): Promise<Job<Input, Outcome>> {
  await refuseMissingSearchAttributes(engine);
  const { isBatch, reuse, run } = plan;
  const workflowId = kind.workflowId(job.input, job.id);
  if (!(await isRunning(engine, workflowId))) {
    await ctx.store.jobs.release(job.folder);
    await plan.release?.(job);
  }
  await startWorkflow(ctx, engine, kind, job, {
    workflowId,
    run:
      typeof run === 'number'
        ? { deadlineMs: run, atOnce: false }
        : { workflow: run.workflow, input: run.input(job) },
    ...(isBatch !== undefined && { isBatch }),
    ...(reuse !== undefined && { reuse }),
  }).catch((error: unknown) => {
    // Completed in between: its result is the answer.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  });
  const handle = engine.client.workflow.getHandle(workflowId);
  const startedFor = jobIdOf((await handle.describe()).typedSearchAttributes);
  if (startedFor === null || !isOfKind(kind, startedFor) || startedFor === job.id) return job;
  await plan.withdraw?.(job);
  return yieldTo(ctx, job, startedFor);
}

export async function startWorkflow<Input>(
  ctx: CommandContext,
  { client }: EngineClient,
  kind: JobKind<Input>,
  job: JobToRun<Input>,
  how: {
    workflowId: string;
    run: { deadlineMs: number; atOnce: boolean } | { workflow: string; input: object };
    reuse?: WorkflowIdReusePolicy;
    isBatch?: true;
  },
): Promise<void> {
  const { isBatch, reuse = 'ALLOW_DUPLICATE', run, workflowId } = how;
  const { type, input } =
    'workflow' in run
      ? { type: run.workflow, input: run.input }
      : { type: kind.workflow ?? '', input: await inputOf(ctx, kind, job, run) };
  await client.workflow.start(type, {
    workflowId,
    taskQueue: queueName('workflows', ctx.queueSuffix),
    args: [input],
    typedSearchAttributes: attributesAtStart(kind.kind as WorkflowKind, job.id),
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: reuse,
    ...(isBatch !== true && { priority: { priorityKey: 1 } }),
  });
}

/** Returns the job that runs. Removes our own, which never started: else it would be shown as interrupted. */
export async function yieldTo<Input, Outcome>(
  ctx: CommandContext,
  own: Job<Input, Outcome>,
  id: string,
): Promise<Job<Input, Outcome>> {
  if (id === own.id) return own;
  const other = await findJob<Input, Outcome>(ctx, id);
  const keys = await ctx.store.records.list(`${own.folder}/`);
  if (keys.length === 0) await ctx.store.jobs.remove(own.folder);
  return other;
}

export async function auditStart(
  { audit, environment }: CommandContext,
  id: string,
  terms: Partial<StartDetails> & Pick<StartDetails, 'items'>,
  at: number,
): Promise<void> {
  const { items, onUnknown = 'report', rerun = false, ...more } = terms;
  const by = environment.actor;
  const entry = startEntry({ jobId: id, by }, { items, onUnknown, rerun, ...more }, at);
  await audit.appendAndAnchor([entry]);
}

/** Whether a job ended within an age; no age: false. */
export function isWithin(maxAgeMs: number | undefined, job: Pick<Job, 'endedAt'> | null): boolean {
  const endedAt = job?.endedAt ?? null;
  if (endedAt === null) return false;
  return maxAgeMs === undefined || Date.now() - Date.parse(endedAt) <= maxAgeMs;
}
