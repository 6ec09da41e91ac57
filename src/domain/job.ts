/** A job: a piece of work that somebody asked for. */

export const jobKinds = [
  'certificate',
  'certificate-batch',
  'decision',
  'credit-analysis',
  'credit-batch',
  'profile',
  'profile-batch',
  'trace',
  'trace-batch',
  'lens',
  'dossier',
  'dossier-batch',
  'monitor-sweep',
  'monitor-scan',
] as const;
export type JobKind = (typeof jobKinds)[number];

export interface JobStart {
  id: string;
  kind: JobKind;
  /** ISO 8601. */
  createdAt: string;
  /** Keyed name of its label; null when it has none. */
  label: string | null;
}

/** Why a job sends nothing more: a person's word. */
export type StopWord = 'paused' | 'cancelled';

/** How a job ended, in one word, and whether a person must see to it. */
export interface JobEnd {
  status: string;
  needsAttention: boolean;
}

/** The end of a job, as lists show it. */
export interface JobEnding extends JobEnd {
  /** ISO 8601. */
  endedAt: string;
}
