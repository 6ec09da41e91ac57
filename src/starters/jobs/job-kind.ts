import type { WorkflowHandle } from '@temporalio/client';
import type { OrderAnswer } from '../../domain/order-answers';
import type { Billing } from '../../domain/core/service/billing';
import type { BillingTotal } from '../../domain/core/service/billing-totals';
import type { Findings } from '../../domain/core/findings';
import type { queuesOf } from '../../domain/core/queues';
import type { JobKind as KindName, OutputTerms, Say, Words } from '../../domain/job';
import type { Reader } from '../../report/reader';
import type { Picture } from '../../report/findings/picture';
import type { JobWithOutcome } from '../../store/core/jobs/job-rows';
import type { Store } from '../../store/store';
import type { EngineClient } from '../../temporal/connection';
import { cancelUpdate, pauseUpdate, resumeUpdate } from '../../workflows/messages';
import type { CommandContext } from './context';
import type { Progress } from './progress';
import type { Resolver } from './decide/resolve';

/** A job as the store has it; `outcome` is null before its end. */
export interface Job<Input = unknown, Outcome = unknown> extends JobWithOutcome {
  input: Input;
  outcome: Outcome | null;
}

export interface EndedJob<Input, Outcome> extends Job<Input, Outcome> {
  outcome: Outcome;
}

/** Bytes of value that a job brought; `name` is that of their file in the result folder. */
export interface JobArtifact {
  name: string;
  bytes: number | null;
  sha256: string | null;
  mediaType: string | null;
}

/** A thing that is charged for once, however many jobs show it. */
export interface Charge {
  of: string;
  /** Null: none was reported. */
  billing: Billing | null;
}

/** Requests that left or may have left; results that were there already. */
export interface RequestCounts {
  requested: number;
  reused: number;
  possibleDoubleCharges: number;
}

/** Of what is bought under a subject: the requests that this job sent. */
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
  /** What runs at the service is cancelled too. */
  remote: boolean;
}

/** What an export may be told; a kind names those that it heeds. */
export type ExportOptions = OutputTerms;

/** All that tells jobs of one kind from those of another. A new kind registers one of these. */
export interface JobKind<Input = unknown, Outcome = unknown> {
  kind: KindName;
  /** With which its ids begin. */
  prefix: string;
  /** One of them, before what it is about: `search for`. */
  noun: Words;
  service: keyof typeof queuesOf;
  workflowId(input: Input, id: string): string;
  /** What it is about, masked. @param say of its reader */
  describe(input: Input, say: Say): string;
  /** How it is done, by the names of flags: who attaches to it cannot change them. */
  terms(input: Input): Readonly<Record<string, unknown>>;
  /** Null when no worker answers. */
  readProgress(engine: EngineClient, workflowId: string, reader: Reader): Promise<Progress | null>;
  /** As the store has it, where it does not run or no worker answers; left out: it has none. */
  storedProgress?(ctx: CommandContext, job: Job): Promise<Progress | null>;
  /** How it ended, for the reader of the context, the status first. */
  lines(job: EndedJob<Input, Outcome>, ctx: CommandContext): string[] | Promise<string[]>;
  /** What the service reported, from the store: shown with how it ended. */
  findings?(
    job: Pick<EndedJob<unknown, unknown>, 'folder' | 'outcome'>,
    store: Store,
  ): Promise<Findings>;
  /** The outcome as `--json` has it; left out: as it is. @param folder as it was exported */
  report?(
    ctx: CommandContext,
    job: EndedJob<Input, Outcome>,
    folder: string | null,
  ): Promise<object>;
  artifacts(
    job: EndedJob<Input, Outcome>,
    ctx: CommandContext,
  ): JobArtifact[] | Promise<JobArtifact[]>;
  cost(
    job: EndedJob<Input, Outcome>,
    ctx: CommandContext,
  ): BillingTotal[] | Promise<BillingTotal[]>;
  /** The things that make up its cost; left out: it reports none, or its rows are jobs that do. */
  charges?(job: Pick<EndedJob<Input, Outcome>, 'id' | 'outcome'>): Charge[];
  /** Left out: nothing is bought in its name. */
  requests?(
    job: EndedJob<Input, Outcome>,
    ctx: CommandContext,
  ): RequestCounts | Promise<RequestCounts>;
  heeds: readonly (keyof ExportOptions)[];
  /**
   * Writes the result folder, and makes it where there is anything to write. Left out: it has none.
   *
   * @returns names of the files; none: there is nothing to write
   */
  export?(
    ctx: CommandContext,
    job: EndedJob<Input, Outcome>,
    folder: string,
    options: ExportOptions,
  ): Promise<string[]>;
  /** Every row, in order, as `result --rows` prints it; left out: it has none. */
  rows?(ctx: CommandContext, job: EndedJob<Input, Outcome>): AsyncIterable<object>;
  /** What was sent to be looked at; null: no browser shows it, or it is not in the store any more. */
  picture?(ctx: CommandContext, job: Pick<Job, 'input'>): Promise<Picture | null>;
  /** What resolving means for it; left out: it can be acknowledged. */
  resolver?(): Resolver;
  orders: readonly Order[];
  /** No claim stands in its name: the engine alone can stop it. */
  claimsNothing?: true;
  /** `cancel` may cancel at the service too. */
  cancelsRemotely?: true;
  /** When the workflow does not run; null: there is nothing to do. */
  giveOthers?(
    engine: EngineClient,
    job: Job<Input, Outcome>,
    order: Order,
  ): Promise<OrderAnswer | null>;
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
