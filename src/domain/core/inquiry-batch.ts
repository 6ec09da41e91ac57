import type { TraceStrategy } from '../traces/trace';
import type { BatchMember } from './batch';

/** Batches by file of what is asked about people, one work a line: searches, lookups of profiles. */
export const inquiryBatchKinds = ['trace-batch', 'profile-batch'] as const;
export type InquiryBatchKind = (typeof inquiryBatchKinds)[number];

/** As it was asked for: the input of the job in `inquiries/<kind>/<name>/<instant>`. */
export interface InquiryBatchRecord {
  kind: InquiryBatchKind;
  /** `<kind>/<name>/<instant>`. */
  batchId: string;
  /** Keyed name of the normalised manifest, what is asked for, and the label. */
  name: string;
  label: string | null;
  /** Searches alone. */
  strategy: TraceStrategy | null;
  /** Lookups alone. */
  retryRural: boolean;
  /** File name of the input, without its folder. */
  inputName: string;
  /** Null once the input is erased. */
  inputSha256: string | null;
  inputKey: string | null;
  /** Input lines with content. */
  lines: number;
  blankLines: number;
  /** Different things on them. */
  items: number;
  /** Lines that cannot be asked for: `invalid`, `unsupported`. */
  linesAtFault: number;
  /** Works that it drives; the others had ended before. */
  works: number;
  parts: number;
  createdAt: string;
  createdBy: string;
}

/** The work of an item. */
export type InquiryWork = BatchMember & { workId: string };

/** How all of them ended: the outcome of the job. */
export interface InquiryBatchEnd {
  endedAt: string;
  cancelled: boolean;
  /** Works by how they ended; `lost`: without an end on file. */
  counts: Partial<Record<string, number>>;
}

export function inquiryBatchFolder(batchId: string): string {
  return `inquiries/${batchId}`;
}

/** The workflow that drives a batch: one for all the times that the same is asked for. */
export function inquiryBatchWorkflowId(kind: InquiryBatchKind, name: string): string {
  return `${kind}/${name}`;
}
