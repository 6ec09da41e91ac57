import { normaliseDocument } from '../../domain/documents';
import { documentsInText } from '../../domain/held-documents';
import type { ToldChange } from '../../domain/monitors/kept';
import { MonitorErasure, type ErasableKind, type Erase } from '../monitors/erasure';
import { holderOf, monitorOfHolder, MonitorRepository } from '../monitors/monitors';
import { keySegment } from '../records';
import type { Store } from '../store';
import { changeFiles } from '../monitors/change-files';
import type { NameOf } from '../core/subjects';
import { ErasureSubject } from './erasure-subject';
import type { PlannedWork, PurgeDraft } from './purge-draft';
import { erasedChange } from './tombstones';

/** What a purge takes of monitors, beside the changes that its draft holds. */
export interface MonitorsPart {
  works: PlannedWork[];
  /** Changes that become tombstones. */
  changes: number;
  /** Monitors that go as a whole, as the subject index calls them. */
  gone: Set<string>;
}

/**
 * Plans what a purge takes of monitors. A change becomes a tombstone: without one, the next walk over
 * all states would file it again.
 */
export class MonitorsPurge {
  readonly #store: Store;
  readonly #nameOf: NameOf;
  readonly #erasure: MonitorErasure;
  readonly #monitors: MonitorRepository;

  constructor(store: Store, nameOf: NameOf) {
    this.#store = store;
    this.#nameOf = nameOf;
    this.#erasure = new MonitorErasure(store);
    this.#monitors = new MonitorRepository(store, nameOf);
  }

  /** A monitor of the document goes as a whole; of any other, the changes that name it. */
  async ofDocument(draft: PurgeDraft, document: string): Promise<MonitorsPart> {
    const name = this.#nameOf(document);
    const part = nothing();
    const holders = await this.#store.subjects.holders(name);
    for (const holder of holders) {
      const monitorId = monitorOfHolder(holder);
      if (monitorId === null) continue;
      const identifier = (await this.#monitors.answer(monitorId))?.monitor.identifier ?? null;
      if (identifier !== null && normaliseDocument(identifier) === document) {
        await this.#takeWhole(draft, monitorId, part);
      } else await this.#takeNamed(draft, monitorId, new ErasureSubject(document, name), part);
    }
    return part;
  }

  /** @param monitorId of one that is to go as a whole, whomever it is about */
  async ofMonitor(draft: PurgeDraft, monitorId: string): Promise<MonitorsPart> {
    const part = nothing();
    if (await this.#monitors.isKnown(monitorId)) await this.#takeWhole(draft, monitorId, part);
    return part;
  }

  /** What the service told of changes that were acknowledged before an instant. */
  async ofAge(draft: PurgeDraft, endedBefore: number): Promise<MonitorsPart> {
    const part = nothing();
    const old = await this.#erasure.acknowledgedBefore(new Date(endedBefore).toISOString());
    for (const [monitorId, ids] of old) {
      await this.#takeLines(draft, monitorId, (line) => ids.has(String(line['change_id'])));
      const isOld = ({ change }: ToldChange): boolean => ids.has(change.changeId);
      await this.#takeChanges(draft, monitorId, part, isOld);
      part.works.push(plannedMonitor(monitorId, false));
    }
    return part;
  }

  async #takeWhole(draft: PurgeDraft, monitorId: string, part: MonitorsPart): Promise<void> {
    const before = draft.size;
    await this.#takeLines(draft, monitorId, () => true);
    await this.#takeChanges(draft, monitorId, part, () => true);
    for (const kind of ['unreadable', 'reviews', 'answer'] as const) {
      await this.#erase(draft, kind, monitorId, () => null);
    }
    part.gone.add(holderOf(monitorId));
    if (draft.size > before) part.works.push(plannedMonitor(monitorId, true));
  }

  async #takeNamed(
    draft: PurgeDraft,
    monitorId: string,
    subject: ErasureSubject,
    part: MonitorsPart,
  ): Promise<void> {
    const before = draft.size;
    const names = (record: unknown): boolean => isNamedIn(record, subject);
    await this.#takeLines(draft, monitorId, names);
    await this.#takeChanges(draft, monitorId, part, names);
    await this.#erase(draft, 'unreadable', monitorId, (item) => (names(item) ? null : item));
    for (const kind of ['reviews', 'answer'] as const) {
      await this.#erase(draft, kind, monitorId, (record) => subject.scrub(record));
    }
    if (draft.size > before) part.works.push(plannedMonitor(monitorId, false));
  }

  async #takeChanges(
    draft: PurgeDraft,
    monitorId: string,
    part: MonitorsPart,
    isMeant: (told: ToldChange) => boolean,
  ): Promise<void> {
    part.changes += await this.#erase(draft, 'changes', monitorId, (body) => {
      const told = body as ToldChange;
      return isMeant(told) ? erasedChange(told) : told;
    });
  }

  /** @returns how many rows change */
  async #erase(
    draft: PurgeDraft,
    kind: ErasableKind,
    monitorId: string,
    erase: Erase,
  ): Promise<number> {
    const changes = await this.#erasure.plan(kind, monitorId, erase);
    draft.changeRows(
      `${holderOf(monitorId)}/${kind}`,
      changes.map(({ before }) => before),
      changes.every(({ after }) => after === null) ? 'removed' : 'rewritten',
      () => this.#erasure.carryOut(kind, monitorId, erase),
    );
    return changes.length;
  }

  /** Lines of the monitor in files by day. */
  async #takeLines(
    draft: PurgeDraft,
    monitorId: string,
    isMeant: (line: Record<string, unknown>) => boolean,
  ): Promise<void> {
    for (const key of await this.#store.records.list(changeFiles)) {
      const name = key.slice(key.lastIndexOf('/') + 1);
      if (name.replace(/-[0-9a-f]{16}\.ndjson$/, '') !== keySegment(monitorId)) continue;
      await draft.rewrite(
        key,
        () => (line) => (isMeant(line as Record<string, unknown>) ? null : line),
      );
    }
  }
}

/** The id by which a monitor is purged: `monitor/<id>`. */
export function monitorOfWorkId(workId: string): string | null {
  return /^monitor\/([^/]+)$/.exec(workId)?.[1] ?? null;
}

function nothing(): MonitorsPart {
  return { works: [], changes: 0, gone: new Set() };
}

function plannedMonitor(monitorId: string, whole: boolean): PlannedWork {
  const workId = `monitor/${monitorId}`;
  return { folder: holderOf(monitorId), workId, record: null, whole, ended: true };
}

function isNamedIn(record: unknown, subject: ErasureSubject): boolean {
  const text = JSON.stringify(record) ?? '';
  for (const document of documentsInText(text)) if (document === subject.document) return true;
  return subject.scrub(text) !== text;
}
