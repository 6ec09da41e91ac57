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
import type { Job, JobKind } from '../job-kind';

/** What is asked for, looked up before anything is recorded or sent. */
export interface StartPlan<Input, Outcome> {
  /** The newest job that asked for the same; null: there is none. */
  existing: Job<Input, Outcome> | null;
  /** The end of that job is the answer. */
  isAnswer: boolean;
  /** Records it, with what the audit trail says: it can be started then. Returns the id. */
  record(): Promise<string>;
  /** Whether an interrupted one goes on; default: it does. Else another is recorded. */
  goesOn?(job: Job<Input, Outcome>): boolean;
  /** Of one that runs, before it is followed. */
  attach?(engine: EngineClient, job: Job<Input, Outcome>): Promise<void>;
  workflow: string;
  /** @param job the standing one, when it goes on */
  workflowInput(job: Job<Input, Outcome>): object | Promise<object>;
  /** Of one that does not run, before it is started: takes back what stopped its parts. */
  release?(job: Job<Input, Outcome>): Promise<void>;
  /** Of one's own, in whose place another's runs: before it goes. */
  withdraw?(job: Job<Input, Outcome>): Promise<void>;
  /** Default: one that has ended may run again under its id. */
  reuse?: WorkflowIdReusePolicy;
  /** It may have nothing to send: recorded before an engine is opened, it may have ended. */
  mayEndAtOnce?: true;
  /** Nobody waits for it alone: others come first. */
  isBatch?: true;
  /** What would happen, of more than one thing. */
  foresee?(): Promise<Foreseen>;
}

export type StartTerms<Input, Outcome> = Pick<
  StartPlan<Input, Outcome>,
  'workflow' | 'workflowInput' | 'release' | 'withdraw' | 'reuse' | 'isBatch'
>;

/** What a command would do. */
export interface Foreseen {
  request: number;
  reuse: number;
  /** Would be followed, not bought again. */
  underWay: number;
  /** Of unknown outcome elsewhere: would stay so until a person decides. */
  unknown: number;
  problems: LineProblem[];
  /** Found, and not asked for, by the reason. */
  left?: Readonly<Record<string, number>>;
  /** What else a person wants to know before it begins. */
  lines?: readonly string[];
}

/** A line of an input that a person must look at. */
export interface LineProblem {
  line: number;
  status: string;
  code: string | null;
  message: string;
  /** What the user names it by; left out: nothing. */
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

/**
 * Starts a job that is on record, or attaches to the one that runs under its workflow id.
 *
 * @returns the job at work: another command may have begun the same a moment before
 */
export async function startJob<Input, Outcome>(
  ctx: CommandContext,
  engine: EngineClient,
  kind: JobKind<Input, Outcome>,
  job: Job<Input, Outcome>,
  plan: StartTerms<Input, Outcome>,
): Promise<Job<Input, Outcome>> {
  await refuseMissingSearchAttributes(engine);
  const workflowId = kind.workflowId(job.input, job.id);
  if (!(await isRunning(engine, workflowId))) {
    await ctx.store.jobs.release(job.folder);
    await plan.release?.(job);
  }
  const { workflow } = engine.client;
  const args = [await plan.workflowInput(job)];
  await workflow
    .start(plan.workflow, {
      workflowId,
      taskQueue: queueName('workflows', ctx.queueSuffix),
      args,
      typedSearchAttributes: attributesAtStart(kind.kind as WorkflowKind, job.id),
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: plan.reuse ?? 'ALLOW_DUPLICATE',
      ...(plan.isBatch !== true && { priority: { priorityKey: 1 } }),
    })
    .catch((error: unknown) => {
      // Completed in between: its result is what was asked for.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    });
  const handle = workflow.getHandle(workflowId);
  const startedFor = jobIdOf((await handle.describe()).typedSearchAttributes);
  if (startedFor?.startsWith(kind.prefix) !== true || startedFor === job.id) return job;
  await plan.withdraw?.(job);
  return yieldTo(ctx, job, startedFor);
}

/** The job that ran. Of one's own nothing began then, and it goes: else it would be taken for an interrupted one. */
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

/** On the audit trail before the engine learns of it. */
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

/** Whether a job ended within an age; no age: it has none that counts. */
export function isWithin(maxAgeMs: number | undefined, job: Pick<Job, 'endedAt'> | null): boolean {
  const endedAt = job?.endedAt ?? null;
  if (endedAt === null) return false;
  return maxAgeMs === undefined || Date.now() - Date.parse(endedAt) <= maxAgeMs;
}
