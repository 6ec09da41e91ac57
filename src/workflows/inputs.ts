import type { AnalysisRef } from '../domain/credit/job';
import type { DossierRecord, DossierRef, ReviewPolicy } from '../domain/dossiers/follow';
import type { BudgetState } from '../domain/core/budget';
import type { ChildCounts, ChildJob } from '../domain/core/job-batch';
import { type JobBatchKind } from '../domain/job';
import type { ProfileRef } from '../domain/profiles/lookup';
import type { SweepRecord, SweepSums, SweepTerms } from '../domain/monitors/sweep';
import type { Walk } from '../domain/monitors/walk';
import type { ScanCounts, ScanRecord } from '../domain/monitors/scan';
import type { GraphStep, InvestigationRef } from '../domain/investigations/investigation';
import type { LensRef } from '../domain/lens/analyze';
import type { RetentionTerm } from '../domain/core/retention';
import type { TraceRef } from '../domain/traces/search';
import type { RowListRef } from '../domain/certificates/job';

/** What workflows are started with, shared with the starters: plain data. */

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
  /** A person waits; left out: one does. */
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

export interface InvestigateInput {
  ref: InvestigationRef;
  steps: readonly GraphStep[];
  /** Requests that may be charged before a person must look; null: as many as there are. */
  budget: number | null;
  /** Epoch milliseconds: what has not been answered then is missing. */
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

export interface SweepCarryover extends SweepSums {
  /** Null: nothing is left to walk. */
  walk: Walk | null;
}

export interface MonitorScanInput {
  /** In the store, in pages of ids. */
  list: ScanRecord['list'];
  by: string;
  terms: SweepTerms;
  /** Every monitor gets a walk over all states. */
  reconcileAll: boolean;
  /** Of one that a person asked for, whose row is there: its id; null: a schedule did. */
  jobId: string | null;
  interactive: boolean;
  queueSuffix: string;
  /** After which a run continues as new; left out: 4,000. */
  eventsPerExecution?: number;
  /** Null: the first run. */
  carryover: { page: number; counts: ScanCounts; startedAt: string; isStored: boolean } | null;
}

export interface ApplyRetentionInput {
  /** In the order in which kinds are gone through. */
  terms: readonly RetentionTerm[];
}

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

export type OnUnknown = 'report' | 'reissue';

export interface RenewCertificatesInput {
  /** What has at most so long to go, in milliseconds. */
  withinMs: number;
  /** From a row's request to its outcome. */
  deadlineMs: number;
  concurrency: number;
  label: string | null;
  /** Who has scheduled it. */
  by: string;
  queueSuffix: string;
}

export interface CertificateBatchInput {
  /** The batch's id; a decision on an ended batch has the id of that batch here. */
  jobId: string;
  list: RowListRef;
  terms: IssuingTerms;
  /** Rows in flight at once, over all lanes. */
  concurrency: number;
  /** Rows that may become unknown before a person must look. Default: 2 % of them, at least 20. */
  maxUnknown?: number;
  /** Requests that may be charged before a person must look. Left out: as many as there are. */
  budget?: number;
  /** Rows per lane before another one is opened; at most 8 lanes. Default 2,000. */
  laneRows?: number;
  /** Events after which a lane continues as new. Default 3,000. */
  laneEvents?: number;
  /** Number of the decision when this run carries out a person's decision on an ended batch. */
  decision?: number;
}

export interface IssueCertificateInput {
  jobId: string;
  list: RowListRef;
  terms: IssuingTerms;
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
  /** Requests before a person must look, and those of a row when nothing fails; left out: no bound. */
  budget?: { requests: number; perRow: number };
  /** Rows that one run drives; left out: 200. */
  rowsPerExecution?: number;
}

/** What a run of a batch of jobs hands to the next one. */
export interface BatchCarryover {
  /** The last item whose child job has started; -1: none. */
  after: number;
  underWay: (Pick<ChildJob, 'jobId' | 'terms'> & { isOwn: boolean })[];
  counts: ChildCounts;
  paused: boolean;
  /** Left out: nothing was made yet, or nothing counts it. */
  budget?: BudgetState;
}
