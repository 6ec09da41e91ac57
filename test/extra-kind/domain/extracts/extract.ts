import type { PollRequest } from '../core/service/poll-request';

/** A registry extract about a company or person: asked for, and read until it is there. */

export interface ExtractRecord {
  /** `extract/<name>/<instant>`. */
  jobId: string;
  /** Keyed name of the document, and of the order: the same name is the same extract. */
  name: string;
  /** Keyed name of the document alone. */
  documentName: string;
  document: string;
  label: string | null;
  deadlineMs?: number;
  createdAt: string;
  createdBy: string;
}

export type ExtractStatus =
  'completed' | 'failed' | 'cancelled' | 'refused' | 'expired' | 'unknown_outcome';

export interface ExtractOutcome {
  jobId: string;
  status: ExtractStatus;
  extractId: string | null;
  sha256: string | null;
  error: { code: string | null; message: string } | null;
  startedAt: string;
  settledAt: string;
  erased?: true;
}

export interface ExtractRef {
  jobId: string;
  folder: string;
}

export interface RequestExtractInput {
  ref: ExtractRef;
  deadlineAt: number;
  interactive: boolean;
  queueSuffix: string;
}

export type ExtractPoll = PollRequest & { ref: ExtractRef };

export function extractFolder(jobId: string): string {
  return jobId.replace(/^extract\//, 'extracts/');
}

export function extractWorkflowId(name: string): string {
  return `extract/${name}`;
}

/** What is bought. */
export function extractSubject(name: string): string {
  return `extract/${name}`;
}
