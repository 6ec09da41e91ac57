import type { AnalysisStatus } from './work';

/** Many files of a folder, as they were asked for: the input of the job in `credit-batches/<name>/<instant>`. */
export interface CreditBatchRecord {
  /** `credit-batch/<name>/<instant>`. */
  batchId: string;
  /** Keyed name of what is analysed: the files by their names, the things by theirs. */
  name: string;
  /** As the person gave it. */
  directory: string;
  /** Lines of `files.json`. */
  files: number;
  /** Files that the local scan refused. */
  notSent: number;
  /** Analyses that it drives, in parts of `partSize`. */
  analyses: number;
  parts: number;
  createdAt: string;
  createdBy: string;
}

/** One file of the folder. `files.json` holds all of them, by their names. */
export interface CreditBatchFile {
  file: string;
  /** The analysis that tells how it ended; null when it is not sent. */
  workId: string | null;
  /** Why it is not sent; null when it is. */
  refused: string | null;
  /** It had ended before the batch was asked for. */
  before: boolean;
  /** The first file of the folder with the same bytes. */
  sameAs: string | null;
}

/** How the analyses of a batch ended so far; `lost`: without an end on file. */
export type AnalysisCounts = Partial<Record<AnalysisStatus | 'lost', number>>;

/** How all of them ended: the outcome of the job. */
export interface CreditBatchEnd {
  endedAt: string;
  cancelled: boolean;
  counts: AnalysisCounts;
}

/** Ids of one part are read at once, and driven in one run of the workflow. */
export const batchPartSize = 200;

export function creditBatchFolder(batchId: string): string {
  return batchId.replace(/^credit-batch\//, 'credit-batches/');
}

/** The workflow that drives a batch: one for all the times that the same files are asked for. */
export function creditBatchWorkflowId(name: string): string {
  return `credit-batch/${name}`;
}

/** The thing that an analysis is about, by its id. */
export function thingOfAnalysis(workId: string): string {
  return workId.split('/')[1] ?? '';
}
