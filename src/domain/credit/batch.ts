import type { BatchMember } from '../core/batch';
import type { AnalysisStatus } from './work';

/** Many files of a folder, as they were asked for: the input of the job in `credit-batches/<name>/<instant>`. */
export interface CreditBatchRecord {
  /** `credit-batch/<name>/<instant>`. */
  batchId: string;
  /** Keyed name of what is analysed: the files by their names, the things by theirs. */
  name: string;
  /** As the person gave it. */
  directory: string;
  /** Of the folder. */
  files: number;
  /** Files that the local scan refused. */
  notSent: number;
  /** Analyses that it drives, in parts. */
  analyses: number;
  parts: number;
  createdAt: string;
  createdBy: string;
}

/** One file of the folder: a member of the batch. They are in the order of their names. */
export interface CreditBatchFile extends BatchMember {
  file: string;
  /** Why it is not sent; null when it is. */
  refused: string | null;
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
