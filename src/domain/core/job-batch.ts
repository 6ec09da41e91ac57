import type { JobBatchKind } from '../job';

export interface JobBatchRecord {
  kind: JobBatchKind;
  batchId: string;
  /** Keyed name of the normalised rows and the request. */
  name: string;
  label: string | null;
  inputName: string;
  inputSha256: string | null;
  inputKey: string | null;
  columns?: readonly string[];
  /** Input lines with content. */
  lines: number;
  blankLines: number;
  items: number;
  linesAtFault: number;
  left: Readonly<Record<string, number>>;
  /** Its child jobs; those of other items had ended before. */
  children: number;
  concurrency: number;
  deadlineMs: number;
  /** Charged requests before a person must decide; for investigations, each of them. */
  budget?: number;
  rerun?: boolean;
  createdAt: string;
  createdBy: string;
}

export interface ChildJob {
  jobId: string;
  before: boolean;
  /** Input of its workflow beyond that of the batch. */
  terms: Readonly<Record<string, unknown>>;
}

/** Child jobs by outcome; `lost`: none in the store. */
export type ChildCounts = Partial<Record<string, number>>;

export interface JobBatchEnd {
  endedAt: string;
  cancelled: boolean;
  counts: ChildCounts;
}

export function jobBatchFolder(batchId: string): string {
  return `batches/${batchId}`;
}
