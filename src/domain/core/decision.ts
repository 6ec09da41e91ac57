import type { ResolveAction } from './kind';

export interface DecisionRecord {
  number: number;
  action: ResolveAction;
  /** For `adopt`: the id that the service's support named. */
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
