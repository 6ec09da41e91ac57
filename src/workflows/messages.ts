import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { AttemptSeen, ReviewDecision } from '../domain/dossiers/follow';
import type { ReachedBudget } from '../domain/core/budget';
import type { ChildCounts } from '../domain/core/job-batch';
import { type JobKind, type JobBatchKind } from '../domain/job';
import type { SweepCounts } from '../domain/monitors/sweep';
import type { ScanCounts } from '../domain/monitors/scan';
import type { ReplacedLens } from '../domain/lens/analyze';
import type { LaneGrant, LaneReport } from '../domain/certificates/request-budget';

/** Queries, signals and updates of workflows. Shared with the starters; no runtime but definitions. */

/** Rows by how they ended so far. Rows not in here are still to come, or under way. */
export interface RowCounts {
  issued: number;
  failed: number;
  expired: number;
  unknown: number;
  cancelled: number;
}

/** Why nothing new is being requested, for people. */
export type WaitingFor =
  | 'credentials'
  | 'service'
  /** Ours does not answer: it is full, read-only, or not where it was. */
  | 'store'
  /** Another part of ours. */
  | 'fault'
  | 'paused'
  | 'decision'
  /** As many outcomes are unknown as may be before a person has looked. */
  | 'unknown'
  /** As many requests were made as may be before a person has looked. */
  | 'budget'
  | 'rate limit'
  | 'another job'
  | 'retry';

/** What keeps something from requesting. */
export interface Waiting {
  reason: WaitingFor;
  /** Epoch milliseconds of the next try, when there is one. */
  until: number | null;
  /** Where that is the reason. */
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

/** How a single job stands. */
export interface JobProgress {
  kind: JobKind;
  /** What it is doing, the state of the resource as the service reports it, or `done`. */
  stage: string;
  /** Of the service; null: not known yet. */
  externalId: string | null;
  waiting: Waiting | null;
  cancelling: boolean;
  startedAt: number;
  details: JobDetails;
}

/** What is of one kind alone. */
export interface JobDetails {
  /** Of an investigation: its steps, by how they stand. */
  steps?: Readonly<Record<string, string>>;
  /** Of a search: sources by the word of their situation, as reported last. */
  sources?: Readonly<Record<string, string>> | null;
  /** Of a lens: analyses whose upload expired. */
  replaced?: readonly ReplacedLens[];
  /** Of a dossier: its state, with the number of the attempt. */
  state?: string;
  attempts?: readonly AttemptSeen[];
}

export interface CancelOrder {
  /** Of a batch: what is under way is not waited for. */
  now: boolean;
  /** Of a dossier: at the service too; else it is only followed no longer. */
  remote?: boolean;
}

/** Orders from a person; lanes get them from the batch. */
export interface Control {
  paused?: boolean;
  cancel?: 'wait' | 'now';
  /** Too many outcomes are unknown: nothing is requested until a person has looked. */
  held?: boolean;
  /** In-flight rows that the lane may have. */
  share?: number;
  /** Requests that the lane may make. */
  granted?: LaneGrant;
}

export const rowsProgressQuery = defineQuery<RowsProgress>('rowsProgress');
export const batchProgressQuery = defineQuery<BatchProgress>('batchProgress');

export const jobProgressQuery = defineQuery<JobProgress>('jobProgress');

export interface JobBatchProgress {
  kind: JobBatchKind;
  /** Child jobs to drive. */
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
  /** Sweeps. */
  underWay: number;
  cancelling: boolean;
  startedAt: string;
}

/** A person's decision about a dossier that needs a review. */
export const decideDossierUpdate = defineUpdate<string, [ReviewDecision]>('decideDossier');
export const sweepProgressQuery = defineQuery<SweepProgress>('sweepProgress');
export const scanProgressQuery = defineQuery<ScanProgress>('scanProgress');

export const controlSignal = defineSignal<[Control]>('control');

/** Rows of a lane whose outcome has become unknown so far, told to its batch. */
export const lostSignal = defineSignal<[{ lane: string; rows: number }]>('lost');

/** Requests that a lane has made, and rows that wait for more than it was granted. */
export const needSignal = defineSignal<[LaneReport & { lane: string; execution: string }]>('need');

/** Answers what now holds, in a word or two. Refused with a reason when it makes no sense. */
export const pauseUpdate = defineUpdate<string>('pause');
export const resumeUpdate = defineUpdate<string>('resume');
/** The same from a job to a job that it has begun: workflows send no updates. */
export const cancelSignal = defineSignal<[CancelOrder]>('cancelJob');
export const cancelUpdate = defineUpdate<string, [CancelOrder]>('cancel');
