import { isStuck } from '../../domain/monitors/change-record';
import type { ChangeFile, DeliveryFailure, ReviewMark } from '../../domain/monitors/stored';
import type { SweepCounts } from '../../domain/monitors/sweep';
import { pagesOf } from '../pages';
import type { SealedDatabase } from '../sealed/sealed-database';
import { marksOf, partsOf, statement } from '../statement';
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
export class ChangeQueries {
  readonly #store: SealedDatabase;
  readonly #rows: ChangeRows;

  constructor(store: SealedDatabase) {
    this.#store = store;
    this.#rows = new ChangeRows(store);
  }

  /** With marks and reviews, in order of first observation. */
  async *files({ since, monitors, severities }: ChangeFilter): AsyncGenerator<ReviewedFile> {
    const among = (column: string, words: readonly string[] = []): string =>
      words.length === 0 ? '' : `AND ${column} IN (${words.map(() => '?').join(', ')})`;
    const pages = pagesOf<ChangeKey & { seenAt: string }>(perPage, (after) =>
      this.#store.read(
        statement(
          `SELECT monitor AS "monitorId", id AS "changeId", seen_at AS "seenAt" FROM change
           WHERE (seen_at, monitor, id) > (?, ?, ?)
             ${among('monitor', monitors)} ${among('severity', severities)}
           ORDER BY seen_at, monitor, id LIMIT ${perPage}`,
          [
            after?.seenAt ?? since ?? '',
            after?.monitorId ?? '',
            after?.changeId ?? '',
            ...(monitors ?? []),
            ...(severities ?? []),
          ],
        ),
      ),
    );
    for await (const page of pages) yield* await this.#reviewed(page);
  }

  /** What a sweep stored, delivered or acknowledged; the first `most`, in order of first observation. */
  async ofSweep(
    { monitorId, sweep }: { monitorId: string; sweep: string },
    most: number,
  ): Promise<{ files: ReviewedFile[]; total: number }> {
    const about = `FROM change WHERE monitor = ? AND (sweep = ? OR id IN
      (SELECT change FROM change_mark WHERE monitor = ? AND sweep = ?))`;
    const parameters = [monitorId, sweep, monitorId, sweep];
    const [counted] = await this.#store.read<{ total: number }>(
      statement(`SELECT count(*) AS total ${about}`, parameters),
    );
    const keys = await this.#store.read<ChangeKey>(
      statement(
        `SELECT monitor AS "monitorId", id AS "changeId" ${about}
         ORDER BY seen_at, id LIMIT ${most}`,
        parameters,
      ),
    );
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
    const count = async (sql: string, parameters: readonly string[]): Promise<number> => {
      const [row] = await this.#store.read<{ total: number }>(statement(sql, parameters));
      return row?.total ?? 0;
    };
    const ended = `SELECT count(*) AS total FROM change_mark
      WHERE monitor = ? AND sweep = ? AND name IN ('acknowledged', 'gone') AND details`;
    const ours = '%"by":"us"%';
    return {
      stored: await count('SELECT count(*) AS total FROM change WHERE monitor = ? AND sweep = ?', [
        monitorId,
        sweep,
      ]),
      delivered: await count(
        `SELECT count(*) AS total FROM (
           SELECT change FROM change_mark WHERE monitor = ? AND name IN ${marksOf([required])}
           GROUP BY change
           HAVING count(*) = ${required.length} AND max(CASE WHEN sweep = ? THEN 1 ELSE 0 END) = 1
         ) AS delivered`,
        [monitorId, ...required, sweep],
      ),
      acknowledged: await count(`${ended} LIKE ?`, [monitorId, sweep, ours]),
      elsewhere: await count(`${ended} NOT LIKE ?`, [monitorId, sweep, ours]),
    };
  }

  async #reviewed(keys: readonly ChangeKey[]): Promise<ReviewedFile[]> {
    const reviews = await this.#rows.reviewsOf(keys);
    return (await this.#rows.files(keys)).map((file) => {
      const { monitorId, change } = file.stored;
      const its = reviews.get(idOf({ monitorId, changeId: change.changeId }));
      return { ...file, reviews: its ?? [] };
    });
  }

  /** Monitors that have a change with this id, in order. */
  async monitorsWith(changeId: string): Promise<string[]> {
    const rows = await this.#store.read<{ monitor: string }>(
      statement('SELECT monitor FROM change WHERE id = ? ORDER BY monitor', [changeId]),
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
    const [counts] = await this.#store.read<{ stored: number; ended: number }>(
      statement(
        `SELECT count(*) AS stored,
           (SELECT count(DISTINCT change) FROM change_mark
            WHERE monitor = ? AND name IN ('acknowledged', 'gone')) AS ended
         FROM change WHERE monitor = ?`,
        [monitorId, monitorId],
      ),
    );
    const { stored = 0, ended = 0 } = counts ?? {};
    const backlog: ChangesOnFile = { stored, open: stored - ended, stuck: 0, named: [] };
    const tried = pagesOf<ChangeKey>(perPage, (after) =>
      this.#store.read(
        statement(
          `SELECT monitor AS "monitorId", about AS "changeId" FROM trouble
           WHERE monitor = ? AND about > ? ORDER BY about LIMIT ${perPage}`,
          [monitorId, after?.changeId ?? ''],
        ),
      ),
    );
    for await (const page of tried) {
      // A digest has no file.
      for (const file of await this.#rows.files(page)) {
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
