import type { JobRef } from '../domain/core/job-record';
import type { DossierRecord, ReviewPolicy } from '../domain/dossiers/follow';
import type { BudgetState } from '../domain/core/budget';
import type { ChildCounts, ChildJob } from '../domain/core/job-batch';
import { type JobBatchKind } from '../domain/job';
import type { SweepRecord, SweepSums, SweepTerms } from '../domain/monitors/sweep';
import type { Walk } from '../domain/monitors/walk';
import type { ScanCounts, ScanRecord } from '../domain/monitors/scan';
import type { GraphStep } from '../domain/investigations/investigation';
import type { RetentionTerm } from '../domain/core/retention';
import type { RowListRef } from '../domain/certificates/job';

/** Inputs of the workflows, shared with the starters: plain data. */

/** What the workflow of every job takes that `runJob` drives. */
export interface JobWorkflowInput {
  ref: JobRef;
  /** Epoch milliseconds: nothing is sent after it, and what has not settled ends. */
  deadlineAt: number;
  /** A person waits. Default: true. */
  interactive?: boolean;
  /** Suffix of the task queue names. */
  queueSuffix: string;
}

export type SearchTraceInput = JobWorkflowInput;

export interface AnalyzeCreditInput extends JobWorkflowInput {
  /** A rule engine is given by name: its id is looked up first. */
  namesEngine?: boolean;
}

export interface FollowDossierInput extends JobWorkflowInput {
  /** As of `DossierRecord`. */
  maxAttempts: number;
  onReview: ReviewPolicy;
  toCancel: boolean;
  /** The first retry starts without a delay. */
  atOnce: boolean;
  /** Saved by the workflow when it starts; left out when it is stored already. */
  record?: DossierRecord;
}

export interface AnalyzeLensInput extends JobWorkflowInput {
  /** Number of the first attempt of this job. */
  attempt: number;
}

export interface LookUpProfileInput extends JobWorkflowInput {
  /** As of `ProfileRecord`. */
  retryRural: boolean;
}

export interface InvestigateInput extends JobWorkflowInput {
  steps: readonly GraphStep[];
  /** Charged requests before the investigation waits for a person; null: no limit. */
  budget: number | null;
}

export interface MonitorSweepInput {
  record: SweepRecord;
  /** A person waits. */
  interactive: boolean;
  queueSuffix: string;
  /** Null: the first execution. */
  carryover: SweepCarryover | null;
}

export interface SweepCarryover extends SweepSums {
  /** Null: the scan is complete. */
  walk: Walk | null;
}

export interface MonitorScanInput {
  /** In the store, in pages of ids. */
  list: ScanRecord['list'];
  by: string;
  terms: SweepTerms;
  /** Every monitor is reconciled over all statuses. */
  reconcileAll: boolean;
  /** Job id when a person started it; null: a schedule did. */
  jobId: string | null;
  interactive: boolean;
  queueSuffix: string;
  /** Events after which it continues as new. Default 4,000. */
  eventsPerExecution?: number;
  /** Null: the first execution. */
  carryover: { page: number; counts: ScanCounts; startedAt: string; isStored: boolean } | null;
}

export interface ApplyRetentionInput {
  /** In the order of processing. */
  terms: readonly RetentionTerm[];
}

/** Terms that every row of a job shares. */
export interface IssuingTerms {
  /** Epoch milliseconds: certificates issued since then are reused. */
  reuseSince: number;
  /** From a row's request to its outcome. */
  rowDeadlineMs: number;
  /** Epoch milliseconds after which nothing new is requested. */
  requestUntil: number;
  onUnknown: OnUnknown;
  interactive: boolean;
  /** Suffix of the task queue names. */
  queueSuffix: string;
}

export type OnUnknown = 'report' | 'reissue';

export interface RenewCertificatesInput {
  /** Renews what expires within this many milliseconds. */
  withinMs: number;
  /** From a row's request to its outcome. */
  deadlineMs: number;
  concurrency: number;
  label: string | null;
  /** Who created the schedule. */
  by: string;
  queueSuffix: string;
}

export interface CertificateBatchInput {
  /** The batch's id; for a resolution, the id of the batch that ended. */
  jobId: string;
  list: RowListRef;
  terms: IssuingTerms;
  /** Rows in flight at once, over all lanes. */
  concurrency: number;
  /** Rows that may become unknown before the batch waits for a person. Default: 2 % of them, at least 20. */
  maxUnknown?: number;
  /** Charged requests before the batch waits for a person. Left out: no limit. */
  budget?: number;
  /** Rows per lane; at most 8 lanes. Default 2,000. */
  laneRows?: number;
  /** Events after which a lane continues as new. Default 3,000. */
  laneEvents?: number;
  /** Number of the resolution that this execution carries out on an ended batch. */
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
  /** Child jobs. */
  children: number;
  carryover: BatchCarryover;
  /** Child jobs in flight at once. */
  concurrency: number;
  /** From the start of a child job to its outcome. */
  deadlineMs: number;
  queueSuffix: string;
  /** Requests before the batch waits for a person, and requests of a row when nothing fails. Left out: no limit. */
  budget?: { requests: number; perRow: number };
  /** Rows per execution. Default 200. */
  rowsPerExecution?: number;
}

/** State that a batch of jobs carries through continue-as-new. */
export interface BatchCarryover {
  /** Index of the last item whose child job has started; -1: none. */
  after: number;
  underWay: (Pick<ChildJob, 'jobId' | 'terms'> & { isOwn: boolean })[];
  counts: ChildCounts;
  paused: boolean;
  /** Left out: no request yet, or no budget. */
  budget?: BudgetState;
}
