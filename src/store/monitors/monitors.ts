import { normaliseDocument } from '../../domain/core/documents/read-document';
import { documentsInText } from '../../domain/core/documents/held-documents';
import type { Monitor } from '../../domain/monitors/change';
import type { HealthOnFile, MonitorOnFile } from '../../domain/monitors/stored';
import type { WalksOnFile } from '../../domain/monitors/scan';
import { pagesOf } from '../pages';
import { Repository, type SealedDatabase } from '../sealed/sealed-database';
import { insertInto, replacing } from '../sealed/table-rows';
import { sql, type Statement } from '../statement';
import { addSubjects, type NameOf } from '../core/subjects';
import { Sealed, rowName } from '../sealed/seal';

/** Where the sink `file` stores changes: newline-delimited JSON by day. */
export const changeFiles = 'changes/';

const perPage = 500;

export interface KnownMonitor {
  monitorId: string;
  health: HealthOnFile | null;
  walks: WalksOnFile;
  unreadable: number;
}

interface MonitorRow {
  monitorId: string;
  health: HealthOnFile | null;
  walkedAt: string | null;
  unfinishedAt: string | null;
  unfinishedWalks: number;
  unreadable: number;
}

/** What is stored about monitors is found by the documents that it names. */
export class MonitorTable extends Repository {
  protected readonly nameOf: NameOf;

  /** @param nameOf keyed name of a document, for erasure; names unreadable items too */
  constructor(store: SealedDatabase, nameOf: NameOf) {
    super(store);
    this.nameOf = nameOf;
  }
}

/** Monitors themselves, and reconciliation of their changes. */
export class MonitorRepository extends MonitorTable {
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
      ...subjectsOf(monitorId, [...its, ...documents], this.nameOf),
      insertInto(
        'monitor_answer',
        [{ monitorId, body: reported }],
        replacing('monitor_answer', 'body'),
      ),
    ]);
  }

  async answer(monitorId: string): Promise<MonitorOnFile<Monitor> | null> {
    const [row] = await this.store.select<{ body: MonitorOnFile<Monitor> }>(
      'monitor_answer',
      sql`WHERE monitor_id = ${monitorId}`,
    );
    return row?.body ?? null;
  }

  async putHealth(monitorId: string, health: HealthOnFile): Promise<void> {
    await this.store.commit([addMonitor(monitorId), healthPut(monitorId, health)]);
  }

  async get(monitorId: string): Promise<KnownMonitor | null> {
    const [known] = await this.#known(sql`monitor_id = ${monitorId}`);
    return known ?? null;
  }

  async *all(): AsyncGenerator<KnownMonitor> {
    const pages = pagesOf<KnownMonitor>(perPage, (after) =>
      this.#known(sql`monitor_id > ${after?.monitorId ?? ''} ORDER BY monitor_id LIMIT ${perPage}`),
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
      sql`UPDATE monitor SET ${what} WHERE monitor_id = ${monitorId}`,
    ]);
  }

  /** Schedules a reconciliation: the next sweep runs it. */
  async oweWalk(monitorId: string): Promise<void> {
    await this.store.commit([
      sql`UPDATE monitor SET walked_at = NULL WHERE monitor_id = ${monitorId}`,
    ]);
  }

  async #known(where: Statement): Promise<KnownMonitor[]> {
    const rows = await this.store.select<MonitorRow>(
      'monitor',
      sql`WHERE ${where}`,
      sql`monitor_id, health, walked_at, unfinished_at, unfinished_walks,
        (SELECT count(*) FROM unreadable_item AS one
         WHERE one.monitor_id = monitor.monitor_id) AS unreadable`,
    );
    return rows.map(({ monitorId, health, unreadable, ...row }) => {
      const { walkedAt: at, unfinishedAt, unfinishedWalks: times } = row;
      const unfinished = unfinishedAt === null ? null : { at: unfinishedAt, times };
      return { monitorId, health, walks: { at, unfinished }, unreadable };
    });
  }
}

function healthPut(monitorId: string, health: HealthOnFile): Statement {
  const body = new Sealed(rowName('monitor', monitorId), health);
  return sql`UPDATE monitor SET health = ${body} WHERE monitor_id = ${monitorId}`;
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
  return insertInto('monitor', [{ monitorId }]);
}
