import { jobKinds, type JobKind } from '../job';

/** Retention terms by kind: jobs that ended before are erased. */

/** A resolution is erased with its job. */
export const retainedKinds = jobKinds.filter((kind) => kind !== 'decision');

export interface RetentionTerm {
  kind: JobKind;
  count: number;
  /** Days, or years of the calendar. */
  unit: 'd' | 'y';
}

/** Counts of expired jobs. */
export interface RetentionCounts {
  erased: number;
  /** They are open, or a resolution of them is. */
  underWay: number;
  /** They may have bought something, and wait for a person. */
  undecided: number;
}

/** The last job checked: where the next step resumes. */
export interface ExpiredCursor {
  endedAt: string;
  id: string;
}

export const nothingExpired: RetentionCounts = { erased: 0, underWay: 0, undecided: 0 };

/** The only schedule of its kind in a namespace. */
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
