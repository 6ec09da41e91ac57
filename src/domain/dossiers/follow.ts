import type { StoredArtifact, ArtifactNotStored } from '../core/artifact';
import type { ServiceFailure } from '../core/service/service-failure';
import type {
  AttemptBilling,
  Dossier,
  DossierCoverage,
  DossierState,
  RiskClassification,
} from './dossier';

/**
 * What to do about a dossier that needs a review: a person decides, or it is settled at once; `leave`
 * ends with it as it is.
 */
export const reviewPolicies = ['wait', 'accept', 'fail', 'leave'] as const;
export type ReviewPolicy = (typeof reviewPolicies)[number];

/** One dossier to follow, as it was asked for: the input of the job in `dossiers/<id>/<instant>`. */
export interface DossierRecord {
  /** `dossier/<id>/<instant>`. */
  jobId: string;
  dossierId: string;
  /** The highest attempt number that it may cause; 1 follows only, and costs nothing. */
  maxAttempts: number;
  onReview: ReviewPolicy;
  /** To cancel the dossier at the service, and nothing else. */
  toCancel: boolean;
  label?: string | null;
  /** Ordered anew on purpose. */
  rerun?: boolean;
  /** Milliseconds from its start to its outcome; of a batch: as the batch has it. */
  deadlineMs?: number;
  createdAt: string;
  createdBy: string;
}

/** What workflow and activities hand each other about it. */
export interface DossierRef {
  jobId: string;
  folder: string;
  dossierId: string;
}

/** What one read shows, as far as decisions need it. */
export interface DossierSight {
  state: DossierState | 'unknown';
  statusWord: string | null;
  mode: string | null;
  stale: boolean | null;
  /** Null: not told. */
  attempt: { number: number | null; status: string | null; billing: AttemptBilling | null } | null;
  coverage: Omit<DossierCoverage, 'phases'> | null;
  failure: ServiceFailure | null;
}

export const dossierStatuses = [
  'completed',
  'needs_review',
  'failed',
  'cancelled',
  'expired',
  /** The service refuses it for good: no such dossier, or a cancellation that it does not take. */
  'refused',
] as const;
export type DossierStatus = (typeof dossierStatuses)[number];

export interface AttemptSeen {
  number: number;
  /** The service's word. */
  status: string | null;
  /** As answered last. */
  billing: AttemptBilling | null;
}

export type ReviewAction = 'accept' | 'retry';

/** A person's decision about a dossier that needs a review, or that of the policy. */
export interface ReviewDecision {
  action: ReviewAction;
  note: string;
  by: string;
  at: string;
}

/** `omitted`: no matrix was supplied, or it was not evaluated. `other`: a word that the specification does not list. */
export type RiskForm = 'omitted' | 'insufficient_data' | 'classified' | 'other';

/** The classification as the outcome has it; its rules stand with the answer on file. */
export interface RiskSummary {
  form: RiskForm;
  status: string | null;
  level: string | null;
  score: number | null;
  matchedRules: number;
  missingFields: number;
}

/** What was put on file of a dossier that has settled. */
export interface DossierReport {
  sight: DossierSight;
  /** Null: it could not be had. */
  risk: RiskSummary | null;
  stored: StoredArtifact[];
  notStored: ArtifactNotStored[];
  /** Why it is not all that was announced; null: it is. */
  note: string | null;
  /** Another attempt has taken the place of the one that had settled. */
  movedOn: boolean;
}

/** How it ended: the outcome of its job, and the result of its workflow. */
export interface DossierOutcome {
  jobId: string;
  dossierId: string;
  status: DossierStatus;
  /** The service's word at the last read; null when it was never read. */
  remote: string | null;
  mode: string | null;
  /** The service holds data newer than the report. */
  stale: boolean | null;
  coverage: DossierSight['coverage'];
  /** In order of their numbers. */
  attempts: AttemptSeen[];
  /** Attempts that this work caused. */
  caused: number;
  /** A retry was sent, and nobody knows whether it began an attempt: it may be charged. */
  possibleAttempt: boolean;
  risk: RiskSummary | null;
  stored: StoredArtifact[];
  notStored: ArtifactNotStored[];
  review: ReviewDecision | null;
  cancelRequested: boolean;
  note: string | null;
  error: { code: string | null; message: string } | null;
  startedAt: string;
  settledAt: string;
  /** What the service reported was here, and was erased. */
  erased?: true;
}

export function dossierWorkflowId(dossierId: string): string {
  return `dossier/${dossierId}`;
}

export function dossierFolder(jobId: string): string {
  return jobId.replace(/^dossier\//, 'dossiers/');
}

export function sightOf(dossier: Dossier): DossierSight {
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

/** What a person would want to see change. */
export function statusOf({ attempt, state }: Pick<DossierSight, 'attempt' | 'state'>): string {
  return attempt?.number == null ? state : `${state} (attempt ${attempt.number})`;
}

export function isSettled(state: DossierSight['state']): boolean {
  return ['completed', 'failed', 'cancelled'].includes(state);
}

/** Its report is there, or should be. */
export function isReported(state: DossierSight['state']): boolean {
  return state === 'completed' || state === 'needs_review';
}

export function riskSummary(risk: RiskClassification | null): RiskSummary {
  const known = risk?.status === 'classified' || risk?.status === 'insufficient_data';
  return {
    form: risk === null ? 'omitted' : known ? (risk.status as RiskForm) : 'other',
    status: risk?.status ?? null,
    level: risk?.level ?? null,
    score: risk?.score ?? null,
    matchedRules: risk?.matchedRules.length ?? 0,
    missingFields: risk?.missingFields.length ?? 0,
  };
}
