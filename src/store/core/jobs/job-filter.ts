import type { JobKind } from '../../../domain/job';
import { joined, sql, type Statement } from '../../statement';

export interface JobFilter {
  kind?: JobKind;
  /** `open`: not ended. */
  status?: string;
  since?: string;
  /** ISO 8601: needs a person since then or later. */
  waitingSince?: string;
  /** Keyed names: jobs with data about any of them. */
  subjects?: readonly string[];
  label?: string;
}

export interface JobPage {
  /** Newest first; jobs without that instant are left out. */
  sort: 'created' | 'ended' | 'attention';
  limit: number;
  /** Id of the last job of the previous page. */
  after?: string;
}

const columns = {
  created: sql`created_at`,
  ended: sql`ended_at`,
  attention: sql`attention_at`,
};

export function pageOf(filter: JobFilter, { sort, limit, after }: JobPage): Statement {
  const { kind, label, since, status, subjects, waitingSince } = filter;
  const by = columns[sort];
  const conditions = [
    sql`${by} IS NOT NULL`,
    kind !== undefined && sql`kind = ${kind}`,
    status !== undefined && (status === 'open' ? sql`status IS NULL` : sql`status = ${status}`),
    since !== undefined && sql`created_at >= ${since}`,
    waitingSince !== undefined && sql`attention_at >= ${waitingSince}`,
    label !== undefined && sql`label = ${label}`,
    subjects !== undefined &&
      sql`folder IN (SELECT holder FROM subject WHERE subject IN ${subjects})`,
    after !== undefined && sql`(${by}, id) < (SELECT ${by}, id FROM job WHERE id = ${after})`,
  ];
  const those = conditions.filter((one) => one !== false);
  return sql`WHERE ${joined(those, ' AND ')} ORDER BY ${by} DESC, id DESC LIMIT ${limit}`;
}
