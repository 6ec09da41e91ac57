import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { AnalysisRef } from '../domain/credit/work';
import type {
  AttemptSeen,
  DossierRecord,
  DossierRef,
  ReviewDecision,
  ReviewPolicy,
} from '../domain/dossiers/follow';
import type { ChildCounts, ChildJob } from '../domain/core/job-batch';
import { type JobKind, type JobBatchKind } from '../domain/job';
import type { ProfileRef } from '../domain/profiles/lookup';
import type {
  SweepCounts,
  SweepRecord,
  SweepTerms,
  SweepWarning,
  Walk,
} from '../domain/monitors/sweep';
import type { ScanCounts, ScanRecord } from '../domain/monitors/scan';
import type { LensRef, ReplacedLens } from '../domain/lens/analyze';
import type { RetentionTerm } from '../domain/core/retention';
import type { TraceRef } from '../domain/traces/search';
import type { WorkRef } from '../domain/certificates/work';

/** What is asked of and told to workflows. Shared with the starters; no runtime but definitions. */

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
  | 'rate limit'
  | 'another work'
  | 'retry';

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
  /** What keeps it from requesting; `until` is the instant of the next try, when there is one. */
  waiting: { reason: WaitingFor; until: number | null } | null;
  paused: boolean;
  cancelling: boolean;
}

export interface BatchProgress {
  kind: 'certificate-batch';
  stage: 'proving access' | 'issuing' | 'merging' | 'done';
  waiting: { reason: WaitingFor; until: number | null } | null;
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
  waiting: { reason: WaitingFor; until: number | null } | null;
  cancelling: boolean;
  startedAt: number;
  details: JobDetails;
}

/** What is of one kind alone. */
export interface JobDetails {
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
  /** In-flight rows that the lane may have. */
  share?: number;
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
  paused: boolean;
  cancelling: boolean;
}

export const jobBatchProgressQuery = defineQuery<JobBatchProgress>('jobBatchProgress');

/** What a run of a batch of jobs hands to the next one. */
export interface BatchCarryover {
  /** The last item whose child job has started; -1: none. */
  after: number;
  underWay: (Pick<ChildJob, 'jobId' | 'terms'> & { isOwn: boolean })[];
  counts: ChildCounts;
  paused: boolean;
}

export interface JobBatchInput {
  kind: JobBatchKind;
  batchId: string;
  folder: string;
  /** Child jobs to drive. */
  children: number;
  carryover: BatchCarryover;
  /** Child jobs in flight at once. */
  concurrency: number;
  /** From the start of a child job to its outcome. */
  deadlineMs: number;
  queueSuffix: string;
  /** Rows that one run drives; left out: 200. */
  rowsPerRun?: number;
}

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

/** Answers what now holds, in a word or two. Refused with a reason when it makes no sense. */
export const pauseUpdate = defineUpdate<string>('pause');
export const resumeUpdate = defineUpdate<string>('resume');
export const cancelUpdate = defineUpdate<string, [CancelOrder]>('cancel');

export type OnUnknown = 'report' | 'reissue';

/** What holds for every row of a work. */
export interface IssuingTerms {
  /** Epoch milliseconds: what was issued since then is reused. */
  reuseSince: number;
  /** From a row's request to its outcome. */
  rowDeadlineMs: number;
  /** Epoch milliseconds after which nothing new is requested. */
  requestUntil: number;
  onUnknown: OnUnknown;
  interactive: boolean;
  /** Ends the names of the task queues. */
  queueSuffix: string;
}

export interface CertificateBatchInput {
  /** The batch's id; a decision on an ended batch has the id of that batch here. */
  workId: string;
  work: WorkRef;
  terms: IssuingTerms;
  /** Rows in flight at once, over all lanes. */
  concurrency: number;
  /** Rows per lane before another one is opened; at most 8 lanes. Default 2,000. */
  laneRows?: number;
  /** Events after which a lane continues as new. Default 3,000. */
  laneEvents?: number;
  /** Number of the decision when this run carries out a person's decision on an ended batch. */
  decision?: number;
}

export interface IssueCertificateInput {
  workId: string;
  work: WorkRef;
  terms: IssuingTerms;
}

export interface AnalyzeCreditInput {
  ref: AnalysisRef;
  /** A name says which engine judges it: its id is asked for first. */
  namesEngine?: boolean;
  /** Epoch milliseconds: after it nothing is sent, and what has not settled is given up. */
  deadlineAt: number;
  /** Ends the names of the task queues. */
  queueSuffix: string;
}

export interface FollowDossierInput {
  ref: DossierRef;
  /** Epoch milliseconds after which it is given up. */
  deadlineAt: number;
  /** As of `DossierRecord`. */
  maxAttempts: number;
  onReview: ReviewPolicy;
  toCancel: boolean;
  /** The first retry waits for nothing. */
  atOnce: boolean;
  /** A person waits. */
  interactive: boolean;
  /** To be put on file by the work itself, once it runs; left out when it is there. */
  record?: DossierRecord;
  /** Ends the names of the task queues. */
  queueSuffix: string;
}

export interface AnalyzeLensInput {
  ref: LensRef;
  /** Of the ask, from 1: the first of this work. */
  attempt: number;
  /** Epoch milliseconds after which it is given up. */
  deadlineAt: number;
  /** A person waits. */
  interactive: boolean;
  /** Ends the names of the task queues. */
  queueSuffix: string;
}

export interface LookUpProfileInput {
  ref: ProfileRef;
  /** Epoch milliseconds after which it is given up. */
  deadlineAt: number;
  /** As of `ProfileRecord`. */
  retryRural: boolean;
  /** A person waits; not told: one does. */
  interactive?: boolean;
  /** Ends the names of the task queues. */
  queueSuffix: string;
}

export interface SearchTraceInput {
  ref: TraceRef;
  /** Epoch milliseconds after which it is given up. */
  deadlineAt: number;
  /** A person waits. */
  interactive: boolean;
  /** Ends the names of the task queues. */
  queueSuffix: string;
}

export interface MonitorSweepInput {
  record: SweepRecord;
  /** A person waits. */
  interactive: boolean;
  queueSuffix: string;
  /** Null: the first run. */
  carryover: SweepCarryover | null;
}

export interface SweepCarryover {
  /** Null: nothing is left to walk. */
  walk: Walk | null;
  counts: SweepCounts;
  warnings: readonly SweepWarning[];
  /** Something may have been acknowledged without our mark. */
  unsure: boolean;
}

export interface MonitorScanInput {
  /** In the store, in pages of ids. */
  list: ScanRecord['list'];
  by: string;
  terms: SweepTerms;
  /** Every monitor gets a walk over all states. */
  reconcileAll: boolean;
  /** Of one that a person asked for, whose row is there: its id; null: a schedule did. */
  workId: string | null;
  interactive: boolean;
  queueSuffix: string;
  /** After which a run continues as new; left out: 4,000. */
  eventsPerRun?: number;
  /** Null: the first run. */
  carryover: { page: number; counts: ScanCounts; startedAt: string; isStored: boolean } | null;
}

export interface ApplyRetentionInput {
  /** In the order in which kinds are gone through. */
  terms: readonly RetentionTerm[];
}
