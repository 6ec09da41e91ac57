import type { Artifact } from '../core/artifact';
import type { Billing } from '../core/service/billing-totals';
import type { ServiceFailure } from '../core/service/service-failure';

export const dossierStates = [
  'queued',
  'running',
  'completed',
  'needs_review',
  'failed',
  'cancelled',
] as const;
export type DossierState = (typeof dossierStates)[number];

/** Decoded leniently: only the id is required. Null: absent, or of another type. */
export interface Dossier {
  dossierId: string;
  /** `unknown`: absent, or a word that the specification does not list. */
  state: DossierState | 'unknown';
  statusWord: string | null;
  subjectType: string | null;
  mode: string | null;
  kind: string | null;
  attempt: DossierAttempt | null;
  coverage: DossierCoverage | null;
  /** Null: absent from the response. */
  artifacts: readonly Artifact[] | null;
  /** The service holds data newer than the report. */
  stale: boolean | null;
  /** `result.report_schema`, unparsed; null: absent. */
  reportSchema: readonly unknown[] | null;
  /** Null: no matrix was supplied, or it is not evaluated yet. */
  risk: RiskClassification | null;
  failure: ServiceFailure | null;
  pollAfterMs: number | null;
  createdAt: string | null;
  updatedAt: string | null;
}

export interface DossierAttempt {
  number: number | null;
  status: string | null;
  billing: AttemptBilling | null;
}

export interface AttemptBilling extends Billing {
  billingId: string | null;
  priceVersion: string | null;
  policyVersion: string | null;
}

export interface DossierCoverage {
  status: string | null;
  completed: number | null;
  eligible: number | null;
  phases: readonly { phase: string | null; status: string | null }[];
}

export interface RiskClassification {
  status: string | null;
  /** Null with `insufficient_data`. */
  level: string | null;
  score: number | null;
  matchedRules: readonly { id: string | null; score: number | null; description: string | null }[];
  missingFields: readonly string[];
}
