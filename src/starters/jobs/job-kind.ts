import type { WorkflowHandle } from '@temporalio/client';
import { z } from 'zod';
import type { OrderAnswer } from '../../domain/order-answers';
import type { Billing, BillingTotal } from '../../domain/core/service/billing-totals';
import type { Findings } from '../../domain/core/findings';
import type { queuesOf } from '../../domain/core/queues';
import {
  kindFacts,
  type JobKind as KindName,
  type OutputTerms,
  type Say,
  type Words,
} from '../../domain/job';
import type { Reader } from '../../report/reader';
import type { Picture } from '../../report/findings/picture';
import type { JobWithOutcome } from '../../store/core/jobs/job-rows';
import type { Store } from '../../store/store';
import type { EngineClient } from '../../temporal/connection';
import { cancelUpdate, pauseUpdate, resumeUpdate } from '../../workflows/messages';
import type { CommandContext } from './context';
import type { Progress } from './progress';
import type { ResolveAction } from '../../domain/core/kind';
import type { ResolveRequest, Resolver } from './decide/resolve';

export interface Job<Input = unknown, Outcome = unknown> extends Omit<
  JobWithOutcome,
  'attentionAt' | 'waitsAbout' | 'label'
> {
  input: Input;
  outcome: Outcome | null;
}

export interface EndedJob<Input, Outcome> extends Job<Input, Outcome> {
  outcome: Outcome;
}

export const artifactSchema = z.strictObject({
  name: z.string().describe('of the file in the result folder'),
  bytes: z.number().int().nullable(),
  sha256: z.string().nullable(),
  mediaType: z.string().nullable(),
});
type JobArtifact = z.infer<typeof artifactSchema>;

export type JobToRun<Input> = Pick<Job<Input>, 'id' | 'folder' | 'input'>;

/** A purchase that is charged once, however many jobs show it. */
export interface Charge {
  of: string;
  /** Null: the service reported none. */
  billing: Billing | null;
}

/** Requests that were sent or may have been; results that were reused. */
export const requestsSchema = z.strictObject({
  requested: z.number().int(),
  reused: z.number().int(),
  possibleDoubleCharges: z.number().int(),
});
export type RequestCounts = z.infer<typeof requestsSchema>;

/** The requests that this job sent for a purchase subject. */
export async function requestedFor(
  { store }: CommandContext,
  subject: string,
  { id }: Pick<Job, 'id'>,
): Promise<RequestCounts> {
  const { sent, doubtful } = await store.spending.sentBy(subject, id);
  return { requested: sent, reused: 0, possibleDoubleCharges: doubtful };
}

export type Order = 'cancel' | 'cancel_now' | 'pause' | 'resume';

export interface OrderOptions {
  /** Cancels at the service too. */
  remote: boolean;
}

export type ExportOptions = OutputTerms;

/** Everything that differs between kinds of jobs. A new kind registers one of these. */
export interface JobKind<Input = unknown, Outcome = unknown> {
  kind: KindName;
  /** Noun before its subject in messages: `search for`. */
  noun: Words;
  service: keyof typeof queuesOf;
  workflowId(input: Input, id: string): string;
  /** Its subject, masked. @param say of its reader */
  describe(input: Input, say: Say): string;
  /** Its terms, by flag name: an attaching command cannot change them. */
  terms(input: Input): Readonly<Record<string, unknown>>;
  /** Null when no worker answers. */
  readProgress(engine: EngineClient, workflowId: string, reader: Reader): Promise<Progress | null>;
  /** From the store, when no workflow runs or no worker answers; left out: it has none. */
  storedProgress?(ctx: CommandContext, job: Job): Promise<Progress | null>;
  /** The outcome in the reader's language, the status first. */
  lines(job: EndedJob<Input, Outcome>, ctx: CommandContext): string[] | Promise<string[]>;
  /** What the service reported, from the store: shown with the outcome. */
  findings?(
    job: Pick<EndedJob<unknown, unknown>, 'folder' | 'outcome'>,
    store: Store,
  ): Promise<Findings>;
  /** What the service answered, as it came; left out: there is no one answer. */
  answer?(
    store: Store,
    job: Pick<EndedJob<Input, Outcome>, 'folder' | 'outcome'>,
  ): Promise<Buffer | null>;
  /** The outcome as `--json` prints it; left out: unchanged. @param folder of the export */
  report?(
    ctx: CommandContext,
    job: EndedJob<Input, Outcome>,
    folder: string | null,
  ): Promise<object>;
  /** Left out: none. */
  artifacts?(
    job: EndedJob<Input, Outcome>,
    ctx: CommandContext,
  ): JobArtifact[] | Promise<JobArtifact[]>;
  /** Left out: it has none of its own. */
  cost?(
    job: EndedJob<Input, Outcome>,
    ctx: CommandContext,
  ): BillingTotal[] | Promise<BillingTotal[]>;
  /** Its purchases; left out: it has no cost of its own, or its rows are jobs that do. */
  charges?(job: Pick<EndedJob<Input, Outcome>, 'id' | 'outcome'>): Charge[];
  /** Left out: it sends no chargeable requests itself. */
  requests?(
    job: EndedJob<Input, Outcome>,
    ctx: CommandContext,
  ): RequestCounts | Promise<RequestCounts>;
  heeds: readonly (keyof ExportOptions)[];
  /**
   * Writes the result folder, and creates it when there is anything to write. Left out: it has none.
   * @returns file names; empty: there is nothing to write
   */
  export?(
    ctx: CommandContext,
    job: EndedJob<Input, Outcome>,
    folder: string,
    options: ExportOptions,
  ): Promise<string[]>;
  /** Writes what stands of a job that has not ended; left out: it has a result at its end only. */
  exportSoFar?(
    ctx: CommandContext,
    job: Pick<Job, 'folder' | 'id'>,
    folder: string,
    options: ExportOptions,
  ): Promise<string[]>;
  /** Every row, in order, as `result --rows` prints it; left out: it has none. */
  rows?(ctx: CommandContext, job: EndedJob<Input, Outcome>): AsyncIterable<object>;
  /** The picture that was sent; null: no browser can show it, or it was erased. */
  picture?(ctx: CommandContext, job: Pick<Job, 'input'>): Promise<Picture | null>;
  /** The workflow of a single job, which a command or a resolution starts; left out: each start names its own. */
  workflow?: string;
  /** Its arguments besides deadline and queues. @param atOnce a person has resolved the job: it does not wait */
  args?(ctx: CommandContext, job: JobToRun<Input>, atOnce: boolean): object | Promise<object>;
  /** Its purchase subject; null: nothing is fenced. */
  subject?(store: Store, job: JobToRun<Input>): string | null | Promise<string | null>;
  /** What differs in the next job of a resolution. */
  changed?(
    ctx: CommandContext,
    job: JobToRun<Input>,
    action: ResolveAction,
  ): Promise<Partial<Input>>;
  checkResolution?(
    ctx: CommandContext,
    job: JobToRun<Input>,
    request: ResolveRequest,
  ): Promise<void>;
  /** How it is resolved; left out: the same request again, where it has a workflow, else only acknowledged. */
  resolver?(): Resolver;
  orders: readonly Order[];
  /** It makes no claims: only the server can stop it. */
  claimsNothing?: true;
  /** `cancel` can also cancel at the service. */
  cancelsRemotely?: true;
  /** Called when the workflow does not run; null: nothing to do. */
  giveOthers?(
    engine: EngineClient,
    job: Job<Input, Outcome>,
    order: Order,
  ): Promise<OrderAnswer | null>;
}

/** @param jobId null: unknown */
export function isOfKind({ kind }: Pick<JobKind, 'kind'>, jobId: string | null): boolean {
  const { prefix = kind } = kindFacts[kind];
  return jobId?.startsWith(`${prefix}/`) === true;
}

export async function inputOf<Input>(
  ctx: CommandContext,
  kind: Pick<JobKind<Input>, 'args'>,
  job: JobToRun<Input>,
  { atOnce, deadlineMs }: { deadlineMs: number; atOnce: boolean },
): Promise<object> {
  const { folder, id: jobId } = job;
  return {
    ref: { jobId, folder },
    deadlineAt: Date.now() + deadlineMs,
    queueSuffix: ctx.queueSuffix,
    ...(await kind.args?.(ctx, job, atOnce)),
  };
}

export function giveOrder(
  handle: WorkflowHandle,
  order: Order,
  { remote }: OrderOptions,
): Promise<OrderAnswer> {
  if (order === 'pause') return handle.executeUpdate(pauseUpdate);
  if (order === 'resume') return handle.executeUpdate(resumeUpdate);
  return handle.executeUpdate(cancelUpdate, { args: [{ now: order === 'cancel_now', remote }] });
}
