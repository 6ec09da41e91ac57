import { normaliseDocument } from '../domain/documents';
import { documentsInText } from '../domain/held-documents';
import type { Monitor } from '../domain/monitors/change';
import type { AcknowledgementMark, FiledChange, MonitorOnFile } from '../domain/monitors/kept';
import { getJson, keySegment, type Archive } from './archive';
import type { NameOf } from './subject-index';
import { ErasureSubject } from './erasure-subject';
import { changeFiles, monitorFolder } from './monitor-records';
import type { PlannedWork, PurgeDraft } from './purge-draft';
import { erasedChange } from './tombstones';

/** What a purge takes of monitors, beside the changes that its draft holds. */
export interface MonitorsPart {
  works: PlannedWork[];
  /** Changes that become tombstones. */
  changes: number;
  /** Folders of the monitors that go as a whole, as the subject index calls them. */
  gone: Set<string>;
}

/**
 * Plans what a purge takes of monitors. A change becomes a tombstone: without one, the next walk over
 * all states would file it again.
 */
export class MonitorsPurge {
  readonly #archive: Archive;
  readonly #nameOf: NameOf;

  constructor(archive: Archive, nameOf: NameOf) {
    this.#archive = archive;
    this.#nameOf = nameOf;
  }

  /** A monitor of the document goes as a whole; of any other, the changes that name it. */
  async ofDocument(draft: PurgeDraft, document: string): Promise<MonitorsPart> {
    const name = this.#nameOf(document);
    const part = nothing();
    const holders = (await this.#archive.subjects.holdersOf([name])).get(name) ?? new Set();
    for (const folder of [...holders].filter((one) => one.startsWith('monitors/'))) {
      const monitorId = decodeURIComponent(folder.slice('monitors/'.length));
      const told = await getJson<MonitorOnFile<Monitor>>(
        this.#archive,
        `${folder}/last-answer.json`,
      );
      const identifier = told?.monitor.identifier ?? null;
      if (identifier !== null && normaliseDocument(identifier) === document) {
        await this.#takeWhole(draft, monitorId, part);
      } else await this.#takeNamed(draft, monitorId, new ErasureSubject(document, name), part);
    }
    return part;
  }

  /** @param monitorId of one that is to go as a whole, whomever it is about */
  async ofMonitor(draft: PurgeDraft, monitorId: string): Promise<MonitorsPart> {
    const part = nothing();
    const keys = await this.#archive.list(`${monitorFolder(monitorId)}/`);
    if (keys.length > 0) await this.#takeWhole(draft, monitorId, part);
    return part;
  }

  /** What the service told of changes that were acknowledged before an instant. */
  async ofAge(draft: PurgeDraft, endedBefore: number): Promise<MonitorsPart> {
    const part = nothing();
    const old = new Map<string, Set<string>>();
    for (const key of await this.#archive.list('monitors/')) {
      const [, monitor = '', kind, file = ''] = key.split('/');
      if (kind !== 'acknowledged') continue;
      const mark = await getJson<AcknowledgementMark>(this.#archive, key);
      if (mark === null || Date.parse(mark.at) >= endedBefore) continue;
      const ids = old.get(monitor) ?? new Set();
      old.set(monitor, ids);
      ids.add(decodeURIComponent(file.slice(0, -'.json'.length)));
    }
    for (const [segment, ids] of old) {
      const monitorId = decodeURIComponent(segment);
      const before = draft.size;
      await this.#takeLines(draft, monitorId, (line) => ids.has(String(line['change_id'])));
      for (const changeId of ids) {
        const key = `${monitorFolder(monitorId)}/seen/${keySegment(changeId)}.json`;
        await this.#eraseChange(draft, key, () => true, part);
      }
      if (draft.size > before) part.works.push(plannedMonitor(monitorId, false));
    }
    return part;
  }

  async #takeWhole(draft: PurgeDraft, monitorId: string, part: MonitorsPart): Promise<void> {
    const before = draft.size;
    await this.#takeLines(draft, monitorId, () => true);
    for (const key of await this.#keysOf(monitorId)) {
      const kind = kindOfKey(key);
      if (kind === 'seen') await this.#eraseChange(draft, key, () => true, part);
      else if (['unreadable', 'reviews', 'last-answer.json'].includes(kind))
        await draft.remove(key);
    }
    part.gone.add(monitorFolder(monitorId));
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
    for (const key of await this.#keysOf(monitorId)) {
      const kind = kindOfKey(key);
      if (kind === 'seen') await this.#eraseChange(draft, key, names, part);
      else if (kind === 'unreadable') {
        if (names(await getJson(this.#archive, key))) await draft.remove(key);
      } else
        await draft.rewrite(key, ({ erase }) =>
          erase === undefined ? null : (one) => erase(one, subject),
        );
    }
    if (draft.size > before) part.works.push(plannedMonitor(monitorId, false));
  }

  async #eraseChange(
    draft: PurgeDraft,
    key: string,
    isMeant: (filed: FiledChange) => boolean,
    part: MonitorsPart,
  ): Promise<void> {
    const before = draft.size;
    await draft.rewrite(key, () => (record) => {
      const filed = record as FiledChange;
      return isMeant(filed) ? erasedChange(filed) : filed;
    });
    part.changes += draft.size - before;
  }

  /** Lines of the monitor in files by day. */
  async #takeLines(
    draft: PurgeDraft,
    monitorId: string,
    isMeant: (line: Record<string, unknown>) => boolean,
  ): Promise<void> {
    for (const key of await this.#archive.list(changeFiles)) {
      const name = key.slice(key.lastIndexOf('/') + 1);
      if (name.replace(/-[0-9a-f]{16}\.ndjson$/, '') !== keySegment(monitorId)) continue;
      await draft.rewrite(
        key,
        () => (line) => (isMeant(line as Record<string, unknown>) ? null : line),
      );
    }
  }

  #keysOf(monitorId: string): Promise<string[]> {
    return this.#archive.list(`${monitorFolder(monitorId)}/`);
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
  return { folder: monitorFolder(monitorId), workId, record: null, whole, ended: true };
}

function kindOfKey(key: string): string {
  return key.split('/')[2] ?? '';
}

function isNamedIn(record: unknown, subject: ErasureSubject): boolean {
  const text = JSON.stringify(record) ?? '';
  for (const document of documentsInText(text)) if (document === subject.document) return true;
  return subject.scrub(text) !== text;
}
