import { normaliseDocument } from '../../domain/documents';
import { documentsInText } from '../../domain/held-documents';
import type { Monitor } from '../../domain/monitors/change';
import type { HealthOnFile, MonitorOnFile } from '../../domain/monitors/kept';
import { isWalkDue, type WalksOnFile } from '../../domain/monitors/watch';
import { pagesOf } from '../pages';
import type { SealedDatabase } from '../sealed-database';
import { insertInto, replacing, statement, type Statement } from '../statement';
import { addSubjects } from '../core/subjects';
import { rowName } from '../seal';

const perPage = 500;

/** A monitor as a report lists it. */
export interface ListedMonitor {
  monitorId: string;
  health: HealthOnFile | null;
  /** Items of its list that cannot be read. */
  unreadable: number;
}

interface WalkRow {
  at: string | null;
  isOwed: number;
  unfinishedAt: string | null;
  times: number;
}

/** What is known of monitors themselves, and how walks over all states of their changes stand. */
export class MonitorRepository {
  readonly #store: SealedDatabase;
  readonly #nameOf: (document: string) => string;

  /** @param nameOf as of `ChangeRepository` */
  constructor(store: SealedDatabase, nameOf: (document: string) => string) {
    this.#store = store;
    this.#nameOf = nameOf;
  }

  /** Keeps what the service told of a monitor, in place of what it told before. */
  async putAnswer(
    monitorId: string,
    told: MonitorOnFile<Monitor>,
    health: HealthOnFile | null = null,
  ): Promise<void> {
    const { identifier } = told.monitor;
    const documents = [
      ...(identifier === null ? [] : [normaliseDocument(identifier)]),
      ...documentsInText(JSON.stringify(told.answer) ?? ''),
    ];
    const body = await this.#store.sealed(rowName('monitor_answer', monitorId), told);
    const key = ['monitor'];
    await this.#store.commit([
      health === null ? addMonitor(monitorId) : await this.#healthPut(monitorId, health),
      ...addSubjects(holderOf(monitorId), documents.map(this.#nameOf)),
      insertInto('monitor_answer', [...key, 'body'], [[monitorId, body]], replacing(key, ['body'])),
    ]);
  }

  /** Null: the service never told. */
  async answer(monitorId: string): Promise<MonitorOnFile<Monitor> | null> {
    const [row] = await this.#store.read<{ body: Uint8Array }>(
      statement('SELECT body FROM monitor_answer WHERE monitor = ?', [monitorId]),
    );
    if (row === undefined) return null;
    const told = this.#store.opened(rowName('monitor_answer', monitorId), row.body);
    return told as MonitorOnFile<Monitor>;
  }

  async putHealth(monitorId: string, health: HealthOnFile): Promise<void> {
    await this.#store.commit([await this.#healthPut(monitorId, health)]);
  }

  /** Null: nobody has looked yet. */
  async health(monitorId: string): Promise<HealthOnFile | null> {
    const [row] = await this.#store.read<{ health: Uint8Array | null }>(
      statement('SELECT health FROM monitor WHERE id = ?', [monitorId]),
    );
    return this.#healthOf(monitorId, row?.health ?? null);
  }

  /** Something is stored about it. */
  async isKnown(monitorId: string): Promise<boolean> {
    const known = statement('SELECT 1 FROM monitor WHERE id = ?', [monitorId]);
    return (await this.#store.read(known)).length > 0;
  }

  /** All that something is stored about, in order. */
  async *all(): AsyncGenerator<ListedMonitor> {
    const pages = pagesOf<Omit<ListedMonitor, 'health'> & { health: Uint8Array | null }>(
      perPage,
      (after) =>
        this.#store.read(
          statement(
            `SELECT m.id AS "monitorId", m.health,
                    (SELECT count(*) FROM unreadable_item u WHERE u.monitor = m.id) AS unreadable
             FROM monitor m WHERE m.id > ? ORDER BY m.id LIMIT ${perPage}`,
            [after?.monitorId ?? ''],
          ),
        ),
    );
    for await (const rows of pages) {
      for (const row of rows) {
        yield { ...row, health: this.#healthOf(row.monitorId, row.health) };
      }
    }
  }

  /** A walk has come to its end, and left nothing. */
  async putReconciled(monitorId: string, at: string): Promise<void> {
    const values = { walked_at: at, is_walk_owed: 0, unfinished_at: null, unfinished_walks: 0 };
    const columns = Object.keys(values);
    const row = [monitorId, ...Object.values(values)];
    await this.#store.commit([
      insertInto('monitor', ['id', ...columns], [row], replacing(['id'], columns)),
    ]);
  }

  /** A walk did not come to its end, or left something that it owes the sinks. */
  async putUnfinished(monitorId: string, at: string): Promise<void> {
    await this.#store.commit([
      insertInto(
        'monitor',
        ['id', 'unfinished_at', 'unfinished_walks'],
        [[monitorId, at, 1]],
        `${replacing(['id'], ['unfinished_at'])}, unfinished_walks = monitor.unfinished_walks + 1`,
      ),
    ]);
  }

  /** What was acknowledged is to be looked up: the next sweep walks, whenever the last one did. */
  async oweWalk(monitorId: string): Promise<void> {
    await this.#store.commit([
      statement('UPDATE monitor SET is_walk_owed = 1 WHERE id = ?', [monitorId]),
    ]);
  }

  /** A walk came to its end, and nothing was owed since. */
  async isReconciled(monitorId: string): Promise<boolean> {
    const { at, owed, unfinished } = await this.#walks(monitorId);
    return at !== null && owed !== true && unfinished === undefined;
  }

  async isWalkDue(monitorId: string, now: number): Promise<boolean> {
    return isWalkDue(await this.#walks(monitorId), now);
  }

  async #walks(monitorId: string): Promise<WalksOnFile> {
    const [row] = await this.#store.read<WalkRow>(
      statement(
        `SELECT walked_at AS at, is_walk_owed AS "isOwed", unfinished_at AS "unfinishedAt",
                unfinished_walks AS times FROM monitor WHERE id = ?`,
        [monitorId],
      ),
    );
    const { at = null, isOwed = 0, unfinishedAt = null, times = 0 } = row ?? {};
    return {
      at,
      ...(isOwed === 1 && { owed: true }),
      ...(unfinishedAt !== null && { unfinished: { at: unfinishedAt, times } }),
    };
  }

  async #healthPut(monitorId: string, health: HealthOnFile): Promise<Statement> {
    const row = [monitorId, await this.#store.sealed(rowName('monitor', monitorId), health)];
    return insertInto('monitor', ['id', 'health'], [row], replacing(['id'], ['health']));
  }

  #healthOf(monitorId: string, body: Uint8Array | null): HealthOnFile | null {
    return body && (this.#store.opened(rowName('monitor', monitorId), body) as HealthOnFile);
  }
}

/** As the subject index calls who holds something about somebody. */
export function holderOf(monitorId: string): string {
  return `monitors/${monitorId}`;
}

/** Null for a holder of another kind. */
export function monitorOfHolder(holder: string): string | null {
  return holder.startsWith('monitors/') ? holder.slice('monitors/'.length) : null;
}

/** Before the first row that is of the monitor. */
export function addMonitor(monitorId: string): Statement {
  return insertInto('monitor', ['id'], [[monitorId]]);
}
