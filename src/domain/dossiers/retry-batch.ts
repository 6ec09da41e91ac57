import type { BillingTotal } from '../core/billing-totals';
import type { DossierOutcome, DossierStatus, ReviewPolicy } from './follow';
import type { RetryPlan, RetryPlanTerms } from './retry-plan';

/** Failed dossiers that are tried again together: the input of the job in `dossier-batches/<instant>`. */
export interface DossierBatchRecord {
  /** `dossier-batch/<instant>`. */
  workId: string;
  terms: RetryPlanTerms;
  /** `--since` as it was said: a time ago is another instant each time. */
  since: string | null;
  onReview: ReviewPolicy;
  createdAt: string;
  createdBy: string;
}

export interface DossierBatchRef {
  workId: string;
  folder: string;
}

/** How one of them ended. */
export interface DossierBatchItem {
  dossierId: string;
  status: DossierStatus | null;
  /** Without a status: another work follows it, or ours did not come to its end. */
  why: 'followed' | 'broken off' | null;
  caused: number;
  possibleAttempt: boolean;
}

/** How all of them ended: the outcome of its job, and the result of the workflow. */
export interface DossierBatchOutcome {
  workId: string;
  status: 'completed' | 'cancelled' | 'expired' | 'refused';
  left: RetryPlan['left'];
  items: DossierBatchItem[];
  /** As answered, of all attempts that were seen. */
  billing: BillingTotal[];
  error: { code: string | null; message: string } | null;
  startedAt: string;
  settledAt: string;
}

export function dossierBatchFolder(workId: string): string {
  return workId.replace(/^dossier-batch\//, 'dossier-batches/');
}

export function itemOf(outcome: DossierOutcome): DossierBatchItem {
  const { caused, dossierId, possibleAttempt, status } = outcome;
  return { dossierId, status, why: null, caused, possibleAttempt };
}
