import { groupBy } from '../../domain/core/group-by';
import { isStuck } from '../../domain/monitors/change-record';
import type { ChangeFile, DeliveryFailure, ReviewMark } from '../../domain/monitors/stored';
import type { SweepCounts } from '../../domain/monitors/sweep';
import { pagesOf } from '../pages';
import { Repository } from '../sealed/sealed-database';
import { partsOf, raw, sql, type Statement } from '../statement';
import { among, filesOf, idOf, type ChangeKey } from './change-rows';

const perPage = 200;

export type ReviewedFile = ChangeFile & { reviews: ReviewMark[] };

export interface ChangeFilter {
  /** First seen then or later, ISO 8601; null: ever. */
  since: string | null;
  monitors?: readonly string[] | undefined;
  severities?: readonly string[] | undefined;
}

export interface ChangesOnFile {
  stored: number;
  /** Stored and not acknowledged. */
  open: number;
  /** Undelivered: open, or pending at a sink or open again after acknowledgement, with failed attempts. */
  stuck: number;
  named: { changeId: string; failure: DeliveryFailure }[];
}

export class ChangeQueries extends Repository {
  /** With marks and reviews, in order of first observation. */
  async *files({
    since,
    monitors = [],
    severities = [],
  }: ChangeFilter): AsyncGenerator<ReviewedFile> {
    const within = (column: string, words: readonly string[]): Statement =>
      words.length === 0 ? raw('') : sql`AND ${raw(column)} IN ${words}`;
    const pages = pagesOf<ChangeKey & { seenAt: string }>(perPage, (after) =>
      this.store.read(sql`
        SELECT monitor_id, change_id, seen_at FROM change
        WHERE (seen_at, monitor_id, change_id)
            > (${after?.seenAt ?? since ?? ''}, ${after?.monitorId ?? ''}, ${after?.changeId ?? ''})
          ${within('monitor_id', monitors)} ${within('severity', severities)}
        ORDER BY seen_at, monitor_id, change_id LIMIT ${perPage}`),
    );
    for await (const page of pages) yield* await this.#reviewed(page);
  }

  /** What a sweep stored, delivered or acknowledged; the first `most`, in order of first observation. */
  async ofSweep(
    { monitorId, sweep }: { monitorId: string; sweep: string },
    most: number,
  ): Promise<{ files: ReviewedFile[]; total: number }> {
    const about = sql`FROM change WHERE monitor_id = ${monitorId} AND (sweep = ${sweep} OR change_id IN
      (SELECT change_id FROM change_mark WHERE monitor_id = ${monitorId} AND sweep = ${sweep}))`;
    const [counted] = await this.store.read<{ total: number }>(
      sql`SELECT count(*) AS total ${about}`,
    );
    const keys = await this.store.read<ChangeKey>(
      sql`SELECT monitor_id, change_id ${about} ORDER BY seen_at, change_id LIMIT ${most}`,
    );
    const files: ReviewedFile[] = [];
    for (const some of partsOf(keys, perPage)) files.push(...(await this.#reviewed(some)));
    return { files, total: counted?.total ?? 0 };
  }

  /** What a sweep did, whichever attempt of it did, and whatever found it done. */
  async countsOf(
    { monitorId, sweep }: { monitorId: string; sweep: string },
    required: readonly string[],
  ): Promise<Omit<SweepCounts, 'pages'>> {
    const ended = sql`FROM change_mark
      WHERE monitor_id = ${monitorId} AND sweep = ${sweep} AND name IN ('acknowledged', 'gone')`;
    const isOurs = sql`details LIKE '%"by":"us"%'`;
    const [counts] = await this.store.read<Omit<SweepCounts, 'pages'>>(sql`
      SELECT
        (SELECT count(*) FROM change WHERE monitor_id = ${monitorId} AND sweep = ${sweep}) AS stored,
        (SELECT count(*) FROM (
          SELECT change_id FROM change_mark WHERE monitor_id = ${monitorId} AND name IN ${required}
          GROUP BY change_id HAVING count(*) = ${required.length}
            AND max(CASE WHEN sweep = ${sweep} THEN 1 ELSE 0 END) = 1) AS all_of_it) AS delivered,
        (SELECT count(*) ${ended} AND ${isOurs}) AS acknowledged,
        (SELECT count(*) ${ended} AND NOT ${isOurs}) AS elsewhere`);
    return counts ?? { stored: 0, delivered: 0, acknowledged: 0, elsewhere: 0 };
  }

  async #reviewed(keys: readonly ChangeKey[]): Promise<ReviewedFile[]> {
    if (keys.length === 0) return [];
    const rows = await this.store.select<ChangeKey & { body: ReviewMark }>(
      'review',
      sql`WHERE ${among(keys)} ORDER BY at`,
    );
    const reviews = groupBy(rows, idOf);
    return (await filesOf(this.store, keys)).map((file) => {
      const { monitorId, change } = file.stored;
      const its = reviews.get(idOf({ monitorId, changeId: change.changeId })) ?? [];
      return { ...file, reviews: its.map(({ body }) => body) };
    });
  }

  /** Monitors that have a change with this id, in order. */
  async monitorsWith(changeId: string): Promise<string[]> {
    const rows = await this.store.read<ChangeKey>(
      sql`SELECT monitor_id FROM change WHERE change_id = ${changeId} ORDER BY monitor_id`,
    );
    return rows.map(({ monitorId }) => monitorId);
  }

  /** Names the first `most` undelivered changes. @param required sinks that must have a change */
  async backlog(
    monitorId: string,
    most: number,
    required: readonly string[],
  ): Promise<ChangesOnFile> {
    const [counts] = await this.store.read<{ stored: number; ended: number }>(sql`
      SELECT count(*) AS stored,
        (SELECT count(DISTINCT change_id) FROM change_mark
         WHERE monitor_id = ${monitorId} AND name IN ('acknowledged', 'gone')) AS ended
      FROM change WHERE monitor_id = ${monitorId}`);
    const { stored = 0, ended = 0 } = counts ?? {};
    const backlog: ChangesOnFile = { stored, open: stored - ended, stuck: 0, named: [] };
    const tried = pagesOf<ChangeKey>(perPage, (after) =>
      this.store.read(sql`
        SELECT monitor_id, change_id FROM trouble
        WHERE monitor_id = ${monitorId} AND change_id > ${after?.changeId ?? ''}
        ORDER BY change_id LIMIT ${perPage}`),
    );
    for await (const page of tried) {
      // A digest has no file.
      for (const file of await filesOf(this.store, page)) {
        const { failure, stored: one } = file;
        if (failure === null || !isStuck(file, required)) continue;
        backlog.stuck += 1;
        const { changeId } = one.change;
        if (backlog.named.length < most) backlog.named.push({ changeId, failure });
      }
    }
    return backlog;
  }
}
