import type { WaitReason } from '../../../domain/attention';
import type { JobEnding, JobKind, OutputTerms } from '../../../domain/job';

export interface JobRow {
  id: string;
  kind: JobKind;
  /** Folder of all its records. */
  folder: string;
  /** Null before its end. */
  status: string | null;
  needsAttention: boolean;
  /** Why an open job needs a person; null otherwise. */
  waitsFor: WaitReason | null;
  createdAt: string;
  /** Null before its end. */
  endedAt: string | null;
  /** Its shape depends on the kind. */
  input: unknown;
  /** Null: default. */
  output: OutputTerms | null;
}

/** The input of a job, and its folder. */
export interface StoredJob<I> {
  folder: string;
  record: I;
}

/**
 * Selects among jobs of the same request: `running` prefers an open one, `waiting` an open one that needs a person,
 * to the newest.
 */
export type Meant = 'newest' | 'running' | 'waiting';

export interface JobPage {
  /** Newest first. */
  sort: 'created' | 'ended';
  limit: number;
  /** Id of the last job of the previous page. */
  after?: string;
}

export interface EndOfJob {
  folder: string;
  ending: JobEnding;
  outcome: unknown;
}

/** A job that has ended; `rows`: outcomes of its rows. */
export interface EndedJob {
  folder: string;
  id: string;
  endedAt: string;
  rows: number;
}

/** A job with its outcome. */
export interface JobWithOutcome extends JobRow {
  /** Null before its end. */
  outcome: unknown;
}
