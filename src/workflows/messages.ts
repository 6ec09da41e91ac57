import type { QueryDefinition, SignalDefinition, UpdateDefinition } from '@temporalio/common';
import type { AttemptSeen, ReviewDecision } from '../domain/dossiers/follow';
import type { ReachedBudget } from '../domain/core/budget';
import type { ChildCounts } from '../domain/core/job-batch';
import { type JobKind, type JobBatchKind } from '../domain/job';
import type { OrderAnswer } from '../domain/order-answers';
import type { SweepCounts } from '../domain/monitors/sweep';
import type { ScanCounts } from '../domain/monitors/scan';
import type { ReplacedLens } from '../domain/lens/analyze';
import type { LaneGrant, LaneReport } from '../domain/certificates/request-budget';

/** Queries, signals and updates of workflows, shared with the starters. Definitions only. */

// What the functions of the SDK by these names return: loading it takes a fifth of a command that only reads the store.
const defineQuery = <Ret>(name: string) => ({ type: 'query', name }) as QueryDefinition<Ret>;
const defineSignal = <Args extends unknown[]>(name: string) =>
  ({ type: 'signal', name }) as SignalDefinition<Args>;
const defineUpdate = <Ret, Args extends unknown[] = []>(name: string) =>
  ({ type: 'update', name }) as UpdateDefinition<Ret, Args>;

/** Rows by outcome. Pending and outstanding rows are not counted. */
export interface RowCounts {
  issued: number;
  failed: number;
  expired: number;
  unknown: number;
  cancelled: number;
}

/** Why no new request is sent, for people. */
export type WaitingFor =
  | 'credentials'
  | 'service'
  /** Our store does not answer: it is full, read-only, or moved. */
  | 'store'
  /** Another error of ours. */
  | 'fault'
  | 'paused'
  | 'decision'
  /** The limit of unknown outcomes is reached. */
  | 'unknown'
  /** The limit of requests is reached. */
  | 'budget'
  | 'rate limit'
  | 'another job'
  | 'retry';

/** What blocks new requests. */
export interface Waiting {
  reason: WaitingFor;
  /** Epoch milliseconds of the next try, when there is one. */
  until: number | null;
  /** Set when the reason is the budget. */
  budget?: ReachedBudget;
}

export interface RowsProgress {
  /** Rows on the list. */
  total: number;
  counts: RowCounts;
  /** Requested and not yet settled. */
  outstanding: number;
  /** Being requested right now. */
  requesting: number;
  /** Settled once, to be requested again later. */
  again: number;
  waiting: Waiting | null;
  paused: boolean;
  cancelling: boolean;
}

export interface BatchProgress {
  kind: 'certificate-batch';
  stage: 'proving access' | 'issuing' | 'merging' | 'done';
  waiting: Waiting | null;
  paused: boolean;
  cancelling: boolean;
  startedAt: number;
  items: number;
  lanes: { id: string; items: number; done: boolean; counts: RowCounts | null }[];
}

/** Progress of a single job. */
export interface JobProgress {
  kind: JobKind;
  /** Its current step, the status that the service reports, or `done`. */
  stage: string;
  /** The service's id; null: not known yet. */
  externalId: string | null;
  waiting: Waiting | null;
  cancelling: boolean;
  startedAt: number;
  details: JobDetails;
}

/** Details that only one kind has. */
export interface JobDetails {
  /** Of an investigation: status of each step. */
  steps?: Readonly<Record<string, string>>;
  /** Of a search: last reported status of each source. */
  sources?: Readonly<Record<string, string>> | null;
  /** Of a lens: analyses whose upload expired. */
  replaced?: readonly ReplacedLens[];
  /** Of a dossier: its status and the number of the attempt. */
  state?: string;
  attempts?: readonly AttemptSeen[];
}

export interface CancelOrder {
  /** Of a batch: do not wait for outstanding rows. */
  now: boolean;
  /** Of a dossier: cancel it at the service too; otherwise only polling stops. */
  remote?: boolean;
}

/** Orders from a person; a batch passes them to its lanes. */
export interface Control {
  paused?: boolean;
  cancel?: 'wait' | 'now';
  /** Too many outcomes are unknown: requests stop until a person decides. */
  held?: boolean;
  /** Rows that the lane may have in flight. */
  share?: number;
  /** Requests that the lane may send. */
  granted?: LaneGrant;
}

export const rowsProgressQuery = defineQuery<RowsProgress>('rowsProgress');
export const batchProgressQuery = defineQuery<BatchProgress>('batchProgress');

export const jobProgressQuery = defineQuery<JobProgress>('jobProgress');

export interface JobBatchProgress {
  kind: JobBatchKind;
  /** Child jobs. */
  total: number;
  counts: ChildCounts;
  underWay: number;
  waiting: Waiting | null;
  paused: boolean;
  cancelling: boolean;
}

export const jobBatchProgressQuery = defineQuery<JobBatchProgress>('jobBatchProgress');

export interface SweepProgress {
  kind: 'monitor-sweep';
  stage: 'sweeping' | 'reconciling';
  counts: SweepCounts;
  cancelling: boolean;
  startedAt: string;
}

export interface ScanProgress {
  kind: 'monitor-scan';
  monitors: number;
  counts: ScanCounts;
  /** Running sweeps. */
  underWay: number;
  cancelling: boolean;
  startedAt: string;
}

/** A person's decision about a dossier that needs a review. */
export const decideDossierUpdate = defineUpdate<OrderAnswer, [ReviewDecision]>('decideDossier');
export const sweepProgressQuery = defineQuery<SweepProgress>('sweepProgress');
export const scanProgressQuery = defineQuery<ScanProgress>('scanProgress');

export const controlSignal = defineSignal<[Control]>('control');

/** Reports to the batch how many rows of a lane have become unknown so far. */
export const lostSignal = defineSignal<[{ lane: string; rows: number }]>('lost');

/** Reports to the batch the requests that a lane has sent, and rows that wait for a larger allowance. */
export const needSignal = defineSignal<[LaneReport & { lane: string; execution: string }]>('need');

/** Returns the new state. Rejected with a reason when it does not apply. */
export const pauseUpdate = defineUpdate<OrderAnswer>('pause');
export const resumeUpdate = defineUpdate<OrderAnswer>('resume');
/** The same from a job to its child job: workflows cannot send updates. */
export const cancelSignal = defineSignal<[CancelOrder]>('cancelJob');
export const cancelUpdate = defineUpdate<OrderAnswer, [CancelOrder]>('cancel');
