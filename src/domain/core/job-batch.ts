import type { JobBatchKind } from '../job';

/** The input of the job in `batches/<kind>/<name>/<instant>`. */
export interface JobBatchRecord {
  kind: JobBatchKind;
  /** `<kind>/<name>/<instant>`. */
  batchId: string;
  /** Keyed name of the normalised rows and the request. */
  name: string;
  label: string | null;
  /** File name of the input, or a replacement. */
  inputName: string;
  /** Null when no file is stored, or it is erased. */
  inputSha256: string | null;
  inputKey: string | null;
  /** Names of the columns that rows have as `own`; left out without a sheet. */
  columns?: readonly string[];
  /** Input lines with content. */
  lines: number;
  blankLines: number;
  /** Different subjects on them. */
  items: number;
  /** Invalid lines. */
  linesAtFault: number;
  /** Other content that is not requested, by reason. */
  left: Readonly<Record<string, number>>;
  /** Its child jobs; those of other items had ended before. */
  children: number;
  /** Child jobs in flight at once. */
  concurrency: number;
  /** From the start of a child job to its outcome. */
  deadlineMs: number;
  /** Charged requests before a person must decide; for investigations, each of them. */
  budget?: number;
  /** A new paid order on purpose. */
  rerun?: boolean;
  createdAt: string;
  createdBy: string;
}

/** The job of an item. */
export interface ChildJob {
  jobId: string;
  /** It had ended before the batch, and is not repeated. */
  before: boolean;
  /** Input of its workflow beyond that of the batch. */
  terms: Readonly<Record<string, unknown>>;
}

/** Child jobs by outcome; `lost`: none in the store. */
export type ChildCounts = Partial<Record<string, number>>;

/** The outcome of the job. */
export interface JobBatchEnd {
  endedAt: string;
  cancelled: boolean;
  counts: ChildCounts;
}

export function jobBatchFolder(batchId: string): string {
  return `batches/${batchId}`;
}
