import { groupBy } from '../../domain/core/group-by';
import { isStuck } from '../../domain/monitors/change-record';
import type { ChangeFile, DeliveryFailure, ReviewMark } from '../../domain/monitors/stored';
import type { SweepCounts } from '../../domain/monitors/sweep';
import { pagesOf } from '../pages';
import { partsOf, raw, sql, type Statement } from '../statement';
import { ChangeRows, idOf, type ChangeKey } from './change-rows';

const perPage = 200;

/** All stored data of a change, with people's notes. */
export type ReviewedFile = ChangeFile & { reviews: ReviewMark[] };

export interface ChangeFilter {
  /** First seen then or later, ISO 8601; null: ever. */
  since: string | null;
  monitors?: readonly string[] | undefined;
  severities?: readonly string[] | undefined;
}

/** Counts of changes of one monitor. */
export interface ChangesOnFile {
  stored: number;
  /** Stored and not acknowledged. */
  open: number;
  /** Undelivered: open, or pending at a sink or open again after acknowledgement, with failed attempts. */
  stuck: number;
  named: { changeId: string; failure: DeliveryFailure }[];
}

/** Changes of all monitors, for lists and reports. */
export class ChangeQueries extends ChangeRows {
  /** With marks and reviews, in order of first observation. */
  async *files({
    since,
    monitors = [],
    severities = [],
  }: ChangeFilter): AsyncGenerator<ReviewedFile> {
    const among = (column: string, words: readonly string[]): Statement =>
      words.length === 0 ? raw('') : sql`AND ${raw(column)} IN ${words}`;
    const pages = pagesOf<ChangeKey & { seenAt: string }>(perPage, (after) =>
      this.store.read(sql`
        SELECT monitor AS "monitorId", id AS "changeId", seen_at AS "seenAt" FROM change
        WHERE (seen_at, monitor, id)
            > (${after?.seenAt ?? since ?? ''}, ${after?.monitorId ?? ''}, ${after?.changeId ?? ''})
          ${among('monitor', monitors)} ${among('severity', severities)}
        ORDER BY seen_at, monitor, id LIMIT ${perPage}`),
    );
    for await (const page of pages) yield* await this.#reviewed(page);
  }

  /** What a sweep stored, delivered or acknowledged; the first `most`, in order of first observation. */
  async ofSweep(
    { monitorId, sweep }: { monitorId: string; sweep: string },
    most: number,
  ): Promise<{ files: ReviewedFile[]; total: number }> {
    const about = sql`FROM change WHERE monitor = ${monitorId} AND (sweep = ${sweep} OR id IN
      (SELECT change FROM change_mark WHERE monitor = ${monitorId} AND sweep = ${sweep}))`;
    const [counted] = await this.store.read<{ total: number }>(
      sql`SELECT count(*) AS total ${about}`,
    );
    const keys = await this.store.read<ChangeKey>(sql`
      SELECT monitor AS "monitorId", id AS "changeId" ${about} ORDER BY seen_at, id LIMIT ${most}`);
    const files: ReviewedFile[] = [];
    for (const some of partsOf(keys, perPage)) files.push(...(await this.#reviewed(some)));
    return { files, total: counted?.total ?? 0 };
  }

  /**
   * What a sweep did, whichever attempt of it did, and whatever found it done.
   *
   * @param required sinks that a change must have reached
   */
  async countsOf(
    { monitorId, sweep }: { monitorId: string; sweep: string },
    required: readonly string[],
  ): Promise<Omit<SweepCounts, 'pages'>> {
    const ended = sql`FROM change_mark
      WHERE monitor = ${monitorId} AND sweep = ${sweep} AND name IN ('acknowledged', 'gone')`;
    const isOurs = sql`details LIKE '%"by":"us"%'`;
    const [counts] = await this.store.read<Omit<SweepCounts, 'pages'>>(sql`
      SELECT
        (SELECT count(*) FROM change WHERE monitor = ${monitorId} AND sweep = ${sweep}) AS stored,
        (SELECT count(*) FROM (
          SELECT change FROM change_mark WHERE monitor = ${monitorId} AND name IN ${required}
          GROUP BY change HAVING count(*) = ${required.length}
            AND max(CASE WHEN sweep = ${sweep} THEN 1 ELSE 0 END) = 1) AS all_of_it) AS delivered,
        (SELECT count(*) ${ended} AND ${isOurs}) AS acknowledged,
        (SELECT count(*) ${ended} AND NOT ${isOurs}) AS elsewhere`);
    return counts ?? { stored: 0, delivered: 0, acknowledged: 0, elsewhere: 0 };
  }

  async #reviewed(keys: readonly ChangeKey[]): Promise<ReviewedFile[]> {
    if (keys.length === 0) return [];
    const pairs = keys.map(({ monitorId, changeId }) => [monitorId, changeId]);
    const where = sql`(monitor, change) IN (VALUES ${pairs})`;
    const reviews = groupBy(await this.reviews.read([], { where, order: 'at' }), (row) =>
      idOf({ monitorId: row.monitor, changeId: row.change }),
    );
    return (await this.filesOf(keys)).map((file) => {
      const { monitorId, change } = file.stored;
      const its = reviews.get(idOf({ monitorId, changeId: change.changeId })) ?? [];
      return { ...file, reviews: its.map(({ body }) => body) };
    });
  }

  /** Monitors that have a change with this id, in order. */
  async monitorsWith(changeId: string): Promise<string[]> {
    const rows = await this.store.read<{ monitor: string }>(
      sql`SELECT monitor FROM change WHERE id = ${changeId} ORDER BY monitor`,
    );
    return rows.map(({ monitor }) => monitor);
  }

  /**
   * Backlog of one monitor. Names the first `most` undelivered changes.
   *
   * @param required sinks that must have a change
   */
  async backlog(
    monitorId: string,
    most: number,
    required: readonly string[],
  ): Promise<ChangesOnFile> {
    const [counts] = await this.store.read<{ stored: number; ended: number }>(sql`
      SELECT count(*) AS stored,
        (SELECT count(DISTINCT change) FROM change_mark
         WHERE monitor = ${monitorId} AND name IN ('acknowledged', 'gone')) AS ended
      FROM change WHERE monitor = ${monitorId}`);
    const { stored = 0, ended = 0 } = counts ?? {};
    const backlog: ChangesOnFile = { stored, open: stored - ended, stuck: 0, named: [] };
    const tried = pagesOf<ChangeKey>(perPage, (after) =>
      this.store.read(sql`
        SELECT monitor AS "monitorId", about AS "changeId" FROM trouble
        WHERE monitor = ${monitorId} AND about > ${after?.changeId ?? ''}
        ORDER BY about LIMIT ${perPage}`),
    );
    for await (const page of tried) {
      // A digest has no file.
      for (const file of await this.filesOf(page)) {
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
