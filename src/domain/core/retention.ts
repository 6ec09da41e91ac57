import { jobKinds, type JobKind } from '../job';

/** A resolution is erased with its job. */
export const retainedKinds = jobKinds.filter((kind) => kind !== 'decision');

export interface RetentionTerm {
  kind: JobKind;
  count: number;
  unit: 'd' | 'y';
}

export const nothingExpired = {
  erased: 0,
  /** They are open, or a resolution of them is. */
  underWay: 0,
  /** They may have bought something, and wait for a person. */
  undecided: 0,
};
export type RetentionCounts = typeof nothingExpired;

export interface ExpiredCursor {
  endedAt: string;
  id: string;
}

export const retentionScheduleId = 'retention';

export function termText({ kind, count, unit }: RetentionTerm): string {
  return `${kind}=${count}${unit}`;
}

export function expiredBefore({ count, unit }: RetentionTerm, now: number): string {
  const at = new Date(now);
  if (unit === 'd') at.setUTCDate(at.getUTCDate() - count);
  else at.setUTCFullYear(at.getUTCFullYear() - count);
  return at.toISOString();
}
