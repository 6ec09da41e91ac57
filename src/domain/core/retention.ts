import { jobKinds, type JobKind } from '../job';

/** How long jobs are kept, by kind: those that ended before are erased. */

/** A decision goes with its job. */
export const retainedKinds = jobKinds.filter((kind) => kind !== 'decision');

export interface RetentionTerm {
  kind: JobKind;
  count: number;
  /** Days, or years of the calendar. */
  unit: 'd' | 'y';
}

/** What became of jobs that are older than their term. */
export interface RetentionCounts {
  erased: number;
  /** They run, or a decision about them does. */
  underWay: number;
  /** What was sent for them may have been bought, and nobody has decided. */
  undecided: number;
}

/** The last job that was looked at: where the next step goes on. */
export interface ExpiredCursor {
  endedAt: string;
  id: string;
}

export const nothingExpired: RetentionCounts = { erased: 0, underWay: 0, undecided: 0 };

/** Of the only schedule of its kind in a namespace. */
export const retentionScheduleId = 'retention';

/** `trace=90d`. */
export function termText({ kind, count, unit }: RetentionTerm): string {
  return `${kind}=${count}${unit}`;
}

/** ISO 8601: jobs that ended before are erased. */
export function expiredBefore({ count, unit }: RetentionTerm, now: number): string {
  const at = new Date(now);
  if (unit === 'd') at.setUTCDate(at.getUTCDate() - count);
  else at.setUTCFullYear(at.getUTCFullYear() - count);
  return at.toISOString();
}
