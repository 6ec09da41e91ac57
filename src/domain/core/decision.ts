import type { ResolveAction } from './kind';

/** What a person decided about a job, or about rows of a batch, and which they were. */
export interface DecisionRecord {
  /** Of those about the job, from 1. */
  number: number;
  action: ResolveAction;
  /** For `adopt`: the id that the service's support has named. */
  externalId: string | null;
  note: string;
  by: string;
  at: string;
  rows: DecidedRow[];
}

export interface DecidedRow {
  item: number;
  line: number;
  status: 'failed' | 'expired' | 'unknown_outcome' | 'cancelled';
  certidaoId: string | null;
  attempts: number;
}

export function decisionFolder(certificateFolder: string, number: number): string {
  return `${certificateFolder}/decisions/${String(number).padStart(4, '0')}`;
}
