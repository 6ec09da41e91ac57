import type { StoredResultRow, RowStatus } from '../../domain/certificates/certificates';
import type { DecisionAction } from '../../domain/certificates/job';
import { shellWord } from '../command-line';

/** What a person can do about a row that was not issued. Both languages have a sentence for each. */
export type Advice =
  | 'look_for_late_answer'
  | 'ask_again'
  | 'ask_again_in_doubt'
  | 'read_again'
  | 'correct'
  | 'wait'
  | 'nothing';

/** Statuses that need attention, the most urgent first. */
export const statusesLeft = [
  'unknown_outcome',
  'failed',
  'expired',
  'invalid',
  'unsupported',
  'cancelled',
] as const satisfies readonly RowStatus[];
export type StatusLeft = (typeof statusesLeft)[number];

export function isLeft(status: RowStatus): status is StatusLeft {
  return (statusesLeft as readonly RowStatus[]).includes(status);
}

/** Failures after the issuance itself: the service may have a valid certificate. */
const failedAfterwards = new Set(['evidence', 'lost']);

export function adviceFor(row: StoredResultRow & { status: StatusLeft }): Advice {
  switch (row.status) {
    case 'unknown_outcome':
      return 'look_for_late_answer';
    case 'expired':
      return 'read_again';
    case 'invalid':
      return 'correct';
    case 'unsupported':
      return 'wait';
    case 'cancelled':
      if (row.errorCategory === 'abandoned') return 'nothing';
      return row.certidaoId === null ? 'ask_again' : 'read_again';
    case 'failed':
      if (row.certidaoId !== null && failedAfterwards.has(row.errorCategory ?? '')) {
        return 'read_again';
      }
      return row.retryable === false ? 'ask_again_in_doubt' : 'ask_again';
  }
}

/** The resolution that follows the advice; null when it is not one of a row. */
export function actionFor(advice: Advice): DecisionAction | null {
  switch (advice) {
    case 'look_for_late_answer':
    case 'read_again':
      return 'watch';
    case 'ask_again':
    case 'ask_again_in_doubt':
      return 'reissue';
    case 'correct':
    case 'wait':
    case 'nothing':
      return null;
  }
}

/** The command line that runs a fixed file again. */
export function batchCommandLine(inputName: string, type: string | null): string {
  const types = type === null ? '' : ` --type ${type}`;
  return `diligence certificate batch --input ${shellWord(inputName)}${types}`;
}
