import { normaliseDocument } from '../../domain/documents';
import type { ToldChange } from '../../domain/monitors/kept';
import { changeFiles } from '../monitors/change-files';
import { holderOf, monitorOfHolder, MonitorRepository } from '../monitors/monitors';
import { keySegment } from '../records';
import type { NameOf } from '../core/subjects';
import { statement } from '../sqlite/statement';
import type { Store } from '../store';
import type { ErasureDraft } from './draft';
import type { ErasureSubject } from './erasure-subject';
import type { PlannedJob } from './jobs';
import { isNamedIn, withoutSubject } from './rewriting';
import { erasedChange } from './tombstones';

/** What an erasure takes of a monitor. */
export interface MonitorPart {
  monitorId: string;
  /** Changes that become tombstones. */
  changes: number;
  whole: boolean;
}

/**
 * What an erasure takes of monitors. A change becomes a tombstone: without one, the next scan would store it
 * again.
 */
export class MonitorErasure {
  readonly #store: Store;
  readonly #monitors: MonitorRepository;

  constructor(store: Store, nameOf: NameOf) {
    this.#store = store;
    this.#monitors = new MonitorRepository(store, nameOf);
  }

  /** A monitor of the document goes as a whole; of any other, what names it. Null: it is no monitor's. */
  async ofHolder(
    draft: ErasureDraft,
    holder: string,
    subject: ErasureSubject,
  ): Promise<MonitorPart | null> {
    const monitorId = monitorOfHolder(holder);
    if (monitorId === null) return null;
    const identifier = (await this.#monitors.answer(monitorId))?.monitor.identifier ?? '';
    if (normaliseDocument(identifier) === subject.document) return this.whole(draft, monitorId);
    const names = (body: unknown): boolean => isNamedIn(body, subject);
    const changes = await this.#takeChanges(draft, monitorId, names);
    const withoutNamed = (item: unknown): unknown => (names(item) ? null : item);
    await draft.rewriteRows('unreadable_item', monitorId, withoutNamed);
    for (const table of ['review', 'monitor_answer'] as const)
      await draft.rewriteRows(table, monitorId, (body) => withoutSubject(body, subject));
    return { monitorId, changes, whole: false };
  }

  /** Whomever it is about; null when nothing is stored about it. */
  async whole(draft: ErasureDraft, monitorId: string): Promise<MonitorPart | null> {
    if (!(await this.#monitors.isKnown(monitorId))) return null;
    const before = draft.size;
    const changes = await this.#takeChanges(draft, monitorId, () => true);
    for (const table of ['unreadable_item', 'review', 'monitor_answer'] as const)
      await draft.removeRows(table, monitorId);
    await draft.removeRows('subject', holderOf(monitorId));
    return draft.size === before ? null : { monitorId, changes, whole: true };
  }

  /** What the service reported of changes that were acknowledged before an instant. */
  async ofAge(draft: ErasureDraft, endedBefore: number): Promise<MonitorPart[]> {
    const rows = await this.#store.read<{ monitor: string; change: string }>(
      statement(
        `SELECT a.monitor, a.change FROM acknowledgement a
         JOIN change c ON c.monitor = a.monitor AND c.id = a.change
         WHERE a.at < ? AND c.is_erased = 0 ORDER BY a.monitor, a.change`,
        [new Date(endedBefore).toISOString()],
      ),
    );
    const parts: MonitorPart[] = [];
    for (const monitorId of new Set(rows.map(({ monitor }) => monitor))) {
      const its = rows.filter(({ monitor }) => monitor === monitorId);
      const ids = new Set(its.map(({ change }) => change));
      const idOf = (body: unknown): string =>
        (body as Partial<ToldChange>).change?.changeId ??
        String((body as Record<string, unknown>)['change_id']);
      const changes = await this.#takeChanges(draft, monitorId, (body) => ids.has(idOf(body)));
      parts.push({ monitorId, changes, whole: false });
    }
    return parts;
  }

  /** Also the lines of the monitor in files by day. */
  async #takeChanges(
    draft: ErasureDraft,
    monitorId: string,
    isMeant: (body: unknown) => boolean,
  ): Promise<number> {
    for (const key of await this.#store.records.list(changeFiles)) {
      const name = key.slice(key.lastIndexOf('/') + 1);
      if (name.replace(/-[0-9a-f]{16}\.ndjson$/, '') !== keySegment(monitorId)) continue;
      await draft.rewrite(key, (line) => (isMeant(line) ? null : line));
    }
    const erased = await draft.rewriteRows('change', monitorId, (body) =>
      isMeant(body) ? erasedChange(body as ToldChange) : body,
    );
    return erased.length;
  }
}

export function plannedMonitor({ monitorId, whole }: MonitorPart): PlannedJob {
  return { folder: holderOf(monitorId), id: `monitor/${monitorId}`, whole, ended: true };
}
