import { normaliseDocument } from '../../domain/core/documents/read-document';
import { documentsInText } from '../../domain/core/documents/held-documents';
import type { Monitor } from '../../domain/monitors/change';
import type { HealthOnFile, MonitorOnFile } from '../../domain/monitors/stored';
import type { WalksOnFile } from '../../domain/monitors/scan';
import { pagesOf } from '../pages';
import { Repository, type SealedDatabase } from '../sealed/sealed-database';
import { insertInto, replacing, sql, type Statement } from '../statement';
import { addSubjects, type NameOf } from '../core/subjects';
import { Sealed, rowName } from '../sealed/seal';
import { SealedTable } from '../sealed/sealed-table';

/** Where the sink `file` stores changes: newline-delimited JSON by day. */
export const changeFiles = 'changes/';

const perPage = 500;

/** Stored data of a monitor itself. */
export interface KnownMonitor {
  monitorId: string;
  /** Null: not read yet. */
  health: HealthOnFile | null;
  walks: WalksOnFile;
  /** Unreadable items of its list. */
  unreadable: number;
}

interface MonitorRow {
  monitorId: string;
  health: Uint8Array | null;
  walkedAt: string | null;
  unfinishedAt: string | null;
  unfinishedWalks: number;
  unreadable: number;
}

/** Monitors themselves, and reconciliation of their changes. */
export class MonitorRepository extends Repository {
  readonly #nameOf: NameOf;
  readonly #answers = new SealedTable<MonitorOnFile<Monitor>>(this.store, 'monitor_answer');

  /** @param nameOf as of `ChangeRepository` */
  constructor(store: SealedDatabase, nameOf: NameOf) {
    super(store);
    this.#nameOf = nameOf;
  }

  /** Stores what the service reported of a monitor. */
  async putAnswer(
    monitorId: string,
    reported: MonitorOnFile<Monitor>,
    health: HealthOnFile | null = null,
  ): Promise<void> {
    const { identifier } = reported.monitor;
    const documents = documentsInText(JSON.stringify(reported.answer) ?? '');
    const its = identifier === null ? [] : [normaliseDocument(identifier)];
    await this.store.commit([
      addMonitor(monitorId),
      ...(health === null ? [] : [healthPut(monitorId, health)]),
      ...subjectsOf(monitorId, [...its, ...documents], this.#nameOf),
      ...this.#answers.insert([[monitorId, reported]], replacing(['monitor'], ['body'])),
    ]);
  }

  /** Null: never reported. */
  async answer(monitorId: string): Promise<MonitorOnFile<Monitor> | null> {
    const [row] = await this.#answers.read([monitorId]);
    return row?.body ?? null;
  }

  async putHealth(monitorId: string, health: HealthOnFile): Promise<void> {
    await this.store.commit([addMonitor(monitorId), healthPut(monitorId, health)]);
  }

  /** Null: nothing stored. */
  async get(monitorId: string): Promise<KnownMonitor | null> {
    const [known] = await this.#known(sql`m.id = ${monitorId}`);
    return known ?? null;
  }

  /** All stored monitors, in order. */
  async *all(): AsyncGenerator<KnownMonitor> {
    const pages = pagesOf<KnownMonitor>(perPage, (after) =>
      this.#known(sql`m.id > ${after?.monitorId ?? ''} ORDER BY m.id LIMIT ${perPage}`),
    );
    for await (const page of pages) yield* page;
  }

  /** Ends a reconciliation. @param isThrough it was complete, with nothing pending at the sinks */
  async putWalk(monitorId: string, at: string, isThrough: boolean): Promise<void> {
    const what = isThrough
      ? sql`walked_at = ${at}, unfinished_at = NULL, unfinished_walks = 0`
      : sql`unfinished_at = ${at}, unfinished_walks = unfinished_walks + 1`;
    await this.store.commit([
      addMonitor(monitorId),
      sql`UPDATE monitor SET ${what} WHERE id = ${monitorId}`,
    ]);
  }

  /** Schedules a reconciliation: the next sweep runs it. */
  async oweWalk(monitorId: string): Promise<void> {
    await this.store.commit([sql`UPDATE monitor SET walked_at = NULL WHERE id = ${monitorId}`]);
  }

  async #known(where: Statement): Promise<KnownMonitor[]> {
    const rows = await this.store.read<MonitorRow>(sql`
      SELECT m.id AS "monitorId", m.health, m.walked_at AS "walkedAt",
        m.unfinished_at AS "unfinishedAt", m.unfinished_walks AS "unfinishedWalks",
        (SELECT count(*) FROM unreadable_item u WHERE u.monitor = m.id) AS unreadable
      FROM monitor m WHERE ${where}`);
    return rows.map(({ monitorId, health, unreadable, ...row }) => {
      const reported = health && this.store.opened(rowName('monitor', monitorId), health);
      const { walkedAt: at, unfinishedAt, unfinishedWalks: times } = row;
      const unfinished = unfinishedAt === null ? null : { at: unfinishedAt, times };
      return {
        monitorId,
        health: reported as HealthOnFile | null,
        walks: { at, unfinished },
        unreadable,
      };
    });
  }
}

function healthPut(monitorId: string, health: HealthOnFile): Statement {
  const body = new Sealed(rowName('monitor', monitorId), health);
  return sql`UPDATE monitor SET health = ${body} WHERE id = ${monitorId}`;
}

/** Name of the monitor as a holder in the subject index. */
export function holderOf(monitorId: string): string {
  return `monitors/${monitorId}`;
}

/** Subjects of the monitor's data, for the transaction that stores it. */
export function subjectsOf(
  monitorId: string,
  documents: Iterable<string>,
  nameOf: NameOf,
): Statement[] {
  return addSubjects(holderOf(monitorId), [...documents].map(nameOf));
}

/** Null for a holder of another kind. */
export function monitorOfHolder(holder: string): string | null {
  return holder.startsWith('monitors/') ? holder.slice('monitors/'.length) : null;
}

/** Before the first row of the monitor. */
export function addMonitor(monitorId: string): Statement {
  return insertInto('monitor', ['id'], [[monitorId]]);
}
