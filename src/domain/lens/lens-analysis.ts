import type { Artifact } from '../core/artifact';
import type { Billing } from '../core/service/billing';
import type { ServiceFailure } from '../core/service/service-failure';

/** Lens analyses, in our words. */

export const lensModes = ['geo', 'face'] as const;
export type LensMode = (typeof lensModes)[number];

export const lensStates = [
  'awaiting_upload',
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
  'expired',
] as const;
export type LensState = (typeof lensStates)[number];

/** Read tolerantly: only the id is relied on. Null: not told, or of another type. */
export interface LensAnalysis {
  analysisId: string;
  /** `unknown`: a word that the specification does not list, or none. */
  state: LensState | 'unknown';
  statusWord: string | null;
  mode: string | null;
  file: LensRepository | null;
  billing: Billing | null;
  artifacts: readonly Artifact[];
  /** Present while the file awaits its upload. */
  upload: LensUpload | null;
  /** Hypotheses and evidence as they came; null while there are none. */
  result: Readonly<Record<string, unknown>> | null;
  failure: ServiceFailure | null;
  pollAfterMs: number | null;
  createdAt: string | null;
  updatedAt: string | null;
  submittedAt: string | null;
  startedAt: string | null;
  completedAt: string | null;
}

export interface LensRepository {
  mediaType: string | null;
  sizeBytes: number | null;
  sha256: string | null;
  /** `pending` is shown; others are kept as they came. */
  uploadStatus: string | null;
}

/** Where the bytes go. The address is a credential: never logged, never in a history. */
export interface LensUpload {
  method: string;
  url: string;
  /** To be sent exactly, and no others that we choose. */
  headers: Readonly<Record<string, string>>;
  /** ISO 8601 instant. */
  expiresAt: string | null;
}
