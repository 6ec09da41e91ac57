import { isStuck } from '../../domain/monitors/change-record';
import type { ChangeFile, ChangeTrouble, ReviewMark } from '../../domain/monitors/kept';
import { pagesOf } from '../pages';
import type { SealedDatabase } from '../sealed-database';
import { statement } from '../statement';
import { idOf, readFiles, readReviews, type ChangeKey } from './change-rows';

const perPage = 200;

/** Everything on file about a change, with what people noted. */
export type ReviewedFile = ChangeFile & { reviews: ReviewMark[] };

export interface ChangeFilter {
  /** Seen then or later, ISO 8601; null: ever. */
  since: string | null;
  monitors?: readonly string[] | undefined;
  severities?: readonly string[] | undefined;
}

/** Counts of changes of one monitor. */
export interface ChangesOnFile {
  filed: number;
  /** Filed, and not acknowledged by anybody. */
  open: number;
  /** Tried in vain so far: open, or due to a sink or open again although they were acknowledged. */
  stuck: number;
  named: { changeId: string; trouble: ChangeTrouble }[];
}

/** Changes of all monitors, for lists and reports. */
export class ChangeQueries {
  readonly #store: SealedDatabase;

  constructor(store: SealedDatabase) {
    this.#store = store;
  }

  /** With their marks and reviews, the first seen first. */
  async *files(
    { since, monitors, severities }: ChangeFilter,
    isMeant: (key: ChangeKey) => boolean = () => true,
  ): AsyncGenerator<ReviewedFile> {
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
    for await (const page of pages) {
      const meant = page.filter(isMeant);
      const files = await readFiles(this.#store, meant);
      const reviews = await readReviews(this.#store, meant);
      for (const id of meant.map(idOf)) {
        const file = files.get(id);
        if (file !== undefined) yield { ...file, reviews: reviews.get(id) ?? [] };
      }
    }
  }

  /** Monitors that have a change with this id, in order. */
  async monitorsWith(changeId: string): Promise<string[]> {
    const rows = await this.#store.read<{ monitor: string }>(
      statement('SELECT monitor FROM change WHERE id = ? ORDER BY monitor', [changeId]),
    );
    return rows.map(({ monitor }) => monitor);
  }

  /**
   * How the changes of one monitor stand. The first `most` stuck ones are named.
   *
   * @param required sinks that a change must have reached
   */
  async standing(
    monitorId: string,
    most: number,
    required: readonly string[],
  ): Promise<ChangesOnFile> {
    const [counts] = await this.#store.read<{ filed: number; ended: number }>(
      statement(
        `SELECT count(*) AS filed, count(a.change) AS ended FROM change c
         LEFT JOIN acknowledgement a ON a.monitor = c.monitor AND a.change = c.id
         WHERE c.monitor = ?`,
        [monitorId],
      ),
    );
    const { filed = 0, ended = 0 } = counts ?? {};
    const standing: ChangesOnFile = { filed, open: filed - ended, stuck: 0, named: [] };
    const tried = pagesOf<ChangeKey>(perPage, (after) =>
      this.#store.read(
        statement(
          `SELECT monitor AS "monitorId", change AS "changeId" FROM change_trouble
           WHERE monitor = ? AND change > ? ORDER BY change LIMIT ${perPage}`,
          [monitorId, after?.changeId ?? ''],
        ),
      ),
    );
    for await (const page of tried) {
      const files = await readFiles(this.#store, page);
      for (const key of page) {
        const file = files.get(idOf(key)) as ChangeFile;
        if (file.trouble === null || !isStuck(file, required)) continue;
        standing.stuck += 1;
        const { changeId } = key;
        if (standing.named.length < most) standing.named.push({ changeId, trouble: file.trouble });
      }
    }
    return standing;
  }
}
