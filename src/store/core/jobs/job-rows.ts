import type { WaitReason } from '../../../domain/attention';
import type { JobEnding, JobKind, OutputTerms } from '../../../domain/job';

export interface JobRow {
  id: string;
  kind: JobKind;
  /** Holds all of it. */
  folder: string;
  /** Null before the end. */
  status: string | null;
  needsAttention: boolean;
  /** Why an open job needs a person; null: it does not, or has ended. */
  waitsFor: WaitReason | null;
  createdAt: string;
  /** Null before the end. */
  endedAt: string | null;
  /** What was asked for: its shape is that of the kind. */
  input: unknown;
  /** Null: nobody has said. */
  output: OutputTerms | null;
}

/** What was asked for, and the folder that holds all of the job. */
export interface StoredJob<I> {
  folder: string;
  record: I;
}

/**
 * Which of the jobs that asked for the same: `running`: one that has not ended, before the newest;
 * `waiting`: one that has not ended and needs a person, before the newest.
 */
export type Meant = 'newest' | 'running' | 'waiting';

export interface JobPage {
  /** The newest first. */
  sort: 'created' | 'ended';
  limit: number;
  /** Id of the last job of the page before. */
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

/** A job with how it ended. */
export interface JobWithOutcome extends JobRow {
  /** Null before the end. */
  outcome: unknown;
}
