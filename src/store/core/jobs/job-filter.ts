import type { WaitScope } from '../../../domain/attention';
import type { JobKind } from '../../../domain/job';
import { marksOf, statement, type Statement } from '../../statement';

export interface JobFilter {
  kind?: JobKind;
  /** `open`: not ended. */
  status?: string;
  /** ISO 8601 of its creation. */
  since?: string;
  /** Keyed names: jobs with data about any of them. */
  subjects?: readonly string[];
  /** Keyed name. */
  label?: string;
}

/** Conditions of the filter. */
export function conditionsOf(filter: JobFilter): Statement[] {
  const { kind, status, since, subjects, label } = filter;
  const isOpen = status === 'open';
  const conditions = [
    kind !== undefined && statement('kind = ?', [kind]),
    isOpen && statement('status IS NULL'),
    !isOpen && status !== undefined && statement('status = ?', [status]),
    since !== undefined && statement('created_at >= ?', [since]),
    label !== undefined && statement('label = ?', [label]),
    subjects !== undefined &&
      statement(
        `holder IN (SELECT holder FROM subject WHERE subject IN ${marksOf([subjects])})`,
        subjects,
      ),
  ];
  return conditions.filter((one) => one !== false);
}

const firstMark = (column: string, name: string): string => `CASE WHEN ended_at IS NULL THEN
  (SELECT ${column} FROM wait_mark WHERE wait_mark.holder = job.holder ORDER BY since, source LIMIT 1)
  END AS "${name}"`;

/** For a row of `job`: why it needs a person before its end. */
export const waitsFor = firstMark('reason', 'waitsFor');

/** For `scopeOf`. */
export const waitScope = [
  firstMark('item_count', 'items'),
  firstMark('made_count', 'made'),
  firstMark('allowed_count', 'allowed'),
].join(', ');

export type WaitCounts = Record<'items' | 'made' | 'allowed', number | string | null>;

/** A database may return large numbers as text. */
export function scopeOf({ allowed, items, made }: WaitCounts): WaitScope {
  if (items === null) return null;
  if (made === null || allowed === null) return Number(items);
  return { made: Number(made), allowed: Number(allowed), rest: Number(items) };
}
