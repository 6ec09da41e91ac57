import type { BatchSummary, FiledRow, ManifestLine } from '../domain/certificates';
import {
  decisionFolder,
  itemsPerPart,
  type DecisionRecord,
  type WorkRecord,
  type WorkRef,
} from '../domain/work';
import { getJson, getJsonLines, type Archive } from './archive';
import { ManifestWriter, manifestLines, manifestParts, partKey, type WorkItem } from './manifest';
import { resultRows } from './result-rows';

/** `latest.json`: which of a work's summaries stands. */
export interface LatestEdition {
  edition: number;
  /** Epoch milliseconds at which it began to count. */
  snapshotAt: number;
}

/** The manifest of a work of certificates. */
export class WorkWriter extends ManifestWriter {
  /** The work can be started once `work.json` is there: it is written last. */
  async finish(record: WorkRecord): Promise<WorkRef> {
    const items = await this.end();
    const { workId: id, kind, createdAt } = record;
    const label = record.label && (this.nameOf?.(record.label) ?? null);
    const options = this.nameOf === null ? {} : { starts: { id, kind, createdAt, label } };
    const text = JSON.stringify(record, null, 2);
    await this.archive.putIfAbsent(`${this.folder}/work.json`, text, options);
    return { folder: this.folder, items, filedIn: this.folder };
  }
}

/** Reads works. Keeps the few parts it read last. */
export class WorkReader {
  readonly #archive: Archive;
  readonly #parts = new Map<string, Promise<WorkItem[]>>();
  readonly #askedBy = new Map<string, string>();

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  record(folder: string): Promise<WorkRecord | null> {
    return getJson<WorkRecord>(this.#archive, `${folder}/work.json`);
  }

  /** In whose name the work is done; kept, since every activity asks. */
  async askedBy(folder: string): Promise<string> {
    const kept = this.#askedBy.get(folder);
    if (kept !== undefined) return kept;
    const by = (await this.record(folder))?.createdBy ?? 'unknown';
    if (this.#askedBy.size >= 1_000) this.#askedBy.clear();
    this.#askedBy.set(folder, by);
    return by;
  }

  /** @throws RangeError when the work has no such item */
  async item(work: WorkRef, place: number): Promise<WorkItem> {
    const part = await this.#part(partKey(work.folder, 'items', Math.floor(place / itemsPerPart)));
    const item = part[place % itemsPerPart];
    if (item === undefined) throw new RangeError(`no item ${place} in ${work.folder}`);
    if (item.erased === true) throw new RangeError(`item ${place} of ${work.folder} was erased`);
    return item;
  }

  items(folder: string): AsyncGenerator<WorkItem> {
    return manifestParts<WorkItem>(this.#archive, folder, 'items');
  }

  /** How it stands, counted at the last end of it or of a decision; null before its end. */
  async summary(folder: string): Promise<BatchSummary | null> {
    const latest = await this.latest(folder);
    return latest && this.editionSummary(folder, latest.edition);
  }

  /** The results as a person's decision left them: its number is their edition. */
  editionSummary(folder: string, edition: number): Promise<BatchSummary | null> {
    return getJson<BatchSummary>(this.#archive, summaryKey(folder, edition));
  }

  decision(folder: string, number: number): Promise<DecisionRecord | null> {
    return getJson<DecisionRecord>(
      this.#archive,
      `${decisionFolder(folder, number)}/decision.json`,
    );
  }

  /** The decisions about rows of a work, in order. */
  async decisions(folder: string): Promise<DecisionRecord[]> {
    const found: DecisionRecord[] = [];
    for (let number = 1; ; number += 1) {
      const decision = await this.decision(folder, number);
      if (decision === null) return found;
      found.push(decision);
    }
  }

  /** One row per input line, in order, as things stand. */
  rows(folder: string): AsyncGenerator<FiledRow> {
    return resultRows(this.#archive, folder);
  }

  latest(folder: string): Promise<LatestEdition | null> {
    return getJson<LatestEdition>(this.#archive, `${folder}/latest.json`);
  }

  lines(folder: string): AsyncGenerator<ManifestLine> {
    return manifestLines(this.#archive, folder);
  }

  #part(key: string): Promise<WorkItem[]> {
    const kept = this.#parts.get(key);
    if (kept !== undefined) return kept;
    if (this.#parts.size >= 16) this.#parts.delete([...this.#parts.keys()][0] ?? '');
    const read = getJsonLines<WorkItem>(this.#archive, key).then((items) => {
      if (items === null) this.#parts.delete(key);
      return items ?? [];
    });
    read.catch(() => this.#parts.delete(key));
    this.#parts.set(key, read);
    return read;
  }
}

/** @param edition 0 for the work itself; its decisions count on */
export function summaryKey(folder: string, edition: number): string {
  return `${folder}/summaries/${edition}.json`;
}

/** Folder of a work, from its workflow id (which holds no document). */
export function workFolder(workId: string): string {
  return `works/${workId}`;
}

/** The id of the work that is kept in a folder. */
export function workIdOfFolder(folder: string): string {
  return folder.replace(/^works\//, '');
}
