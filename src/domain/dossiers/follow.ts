import type { StoredArtifact, ArtifactNotStored } from '../core/artifact';
import type { JobInput, OutcomeFields } from '../core/job-record';
import type { AttemptBilling, Dossier, RiskClassification } from './dossier';
import type { DossierStatus } from './kinds';

/** What to do about a dossier that needs a review: `wait` for a person, settle it at once, or `leave` it as it is. */
export const reviewPolicies = ['wait', 'accept', 'fail', 'leave'] as const;
export type ReviewPolicy = (typeof reviewPolicies)[number];

export interface DossierRecord extends JobInput {
  dossierId: string;
  /** Highest attempt number that it may cause; 1: follows only, free of charge. */
  maxAttempts: number;
  onReview: ReviewPolicy;
  /** Only cancels the dossier at the service. */
  toCancel: boolean;
}

export function dossierIdOf({ jobId }: { jobId: string }): string {
  return jobId.split('/')[1] ?? '';
}

export type DossierSight = ReturnType<typeof sightOf>;

export interface AttemptSeen {
  number: number;
  status: string | null;
  billing: AttemptBilling | null;
}

export type ReviewAction = 'accept' | 'retry';

export interface ReviewDecision {
  action: ReviewAction;
  note: string;
  by: string;
  at: string;
}

export type RiskSummary = ReturnType<typeof riskSummary>;

export interface DossierReport {
  sight: DossierSight;
  /** Null: not available. */
  risk: RiskSummary | null;
  stored: StoredArtifact[];
  notStored: ArtifactNotStored[];
  /** Why something announced is missing; null: nothing is. */
  note: string | null;
  /** A newer attempt has replaced the settled one. */
  movedOn: boolean;
}

export interface DossierOutcome extends OutcomeFields<DossierStatus> {
  dossierId: string;
  remote: string | null;
  mode: string | null;
  /** The service holds data newer than the report. */
  stale: boolean | null;
  coverage: DossierSight['coverage'];
  attempts: AttemptSeen[];
  caused: number;
  /** A retry was sent that may have started an attempt, and may be charged. */
  possibleAttempt: boolean;
  risk: RiskSummary | null;
  stored: StoredArtifact[];
  notStored: ArtifactNotStored[];
  review: ReviewDecision | null;
  cancelRequested: boolean;
  note: string | null;
}

export function sightOf(dossier: Dossier) {
  const { attempt, coverage, failure, mode, stale, state, statusWord } = dossier;
  return {
    state,
    statusWord,
    mode,
    stale,
    attempt: attempt && {
      number: attempt.number,
      status: attempt.status,
      billing: attempt.billing,
    },
    coverage: coverage && {
      status: coverage.status,
      completed: coverage.completed,
      eligible: coverage.eligible,
    },
    failure,
  };
}

export function statusOf({ attempt, state }: Pick<DossierSight, 'attempt' | 'state'>): string {
  return attempt?.number == null ? state : `${state} (attempt ${attempt.number})`;
}

export function isSettled(state: DossierSight['state']): boolean {
  return ['completed', 'failed', 'cancelled'].includes(state);
}

export function isReported(state: DossierSight['state']): boolean {
  return state === 'completed' || state === 'needs_review';
}

/**
 * `omitted`: no matrix was supplied, or it was not evaluated. `other`: a word that the specification does not list.
 */
export function riskSummary(risk: RiskClassification | null) {
  const status = risk?.status ?? null;
  const known = status === 'classified' || status === 'insufficient_data' ? status : 'other';
  return {
    form: risk === null ? ('omitted' as const) : known,
    status,
    level: risk?.level ?? null,
    score: risk?.score ?? null,
    matchedRules: risk?.matchedRules.length ?? 0,
    missingFields: risk?.missingFields.length ?? 0,
  };
}
