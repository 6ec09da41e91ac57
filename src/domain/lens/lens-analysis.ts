import type { Artifact } from '../core/artifact';
import type { Billing } from '../core/service/billing';
import type { ServiceFailure } from '../core/service/service-failure';

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

/** Decoded leniently: only the id is required. Null: absent, or of another type. */
export interface LensAnalysis {
  analysisId: string;
  state: LensState | 'unknown';
  statusWord: string | null;
  mode: string | null;
  billing: Billing | null;
  artifacts: readonly Artifact[];
  /** Present while it awaits the upload. */
  upload: LensUpload | null;
  /** Hypotheses and evidence, unparsed; null while there are none. */
  result: Readonly<Record<string, unknown>> | null;
  failure: ServiceFailure | null;
  pollAfterMs: number | null;
}

/** Where to upload. The address is a credential: never logged, never in a history. */
export interface LensUpload {
  method: string;
  url: string;
  /** Sent as they are, without others of our own. */
  headers: Readonly<Record<string, string>>;
  expiresAt: string | null;
}
