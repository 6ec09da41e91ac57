import type { JobBatchKind } from '../job';

/** As it was asked for: the input of the job in `batches/<kind>/<name>/<instant>`. */
export interface JobBatchRecord {
  kind: JobBatchKind;
  /** `<kind>/<name>/<instant>`. */
  batchId: string;
  /** Keyed name of the normalised rows and of what is asked for. */
  name: string;
  label: string | null;
  /** File name of the input, or what stands for it. */
  inputName: string;
  /** Null where no file is stored, or once it is erased. */
  inputSha256: string | null;
  inputKey: string | null;
  /** Names of the columns that rows have as `own`; left out where there is no sheet. */
  columns?: readonly string[];
  /** Input lines with content. */
  lines: number;
  blankLines: number;
  /** Different subjects on them. */
  items: number;
  /** Lines that cannot be asked for. */
  linesAtFault: number;
  /** What was found beside them and is not asked for, by the reason. */
  left: Readonly<Record<string, number>>;
  /** Child jobs that it drives; those of other items had ended before. */
  children: number;
  /** Child jobs in flight at once. */
  concurrency: number;
  /** From the start of a child job to its outcome. */
  deadlineMs: number;
  /** Requests that may be charged before a person must look; of investigations, for each of them. */
  budget?: number;
  /** Ordered anew on purpose. */
  rerun?: boolean;
  createdAt: string;
  createdBy: string;
}

/** The job of an item. */
export interface ChildJob {
  jobId: string;
  /** It had ended before the batch was asked for, and is not asked for again. */
  before: boolean;
  /** What its workflow is given beside what the batch says. */
  terms: Readonly<Record<string, unknown>>;
}

/** Child jobs by how they ended; `lost`: without an end in the store. */
export type ChildCounts = Partial<Record<string, number>>;

/** How all of them ended: the outcome of the job. */
export interface JobBatchEnd {
  endedAt: string;
  cancelled: boolean;
  counts: ChildCounts;
}

export function jobBatchFolder(batchId: string): string {
  return `batches/${batchId}`;
}
