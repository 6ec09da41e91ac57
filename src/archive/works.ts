import type {
  BatchSummary,
  CertificateType,
  FiledRow,
  ManifestItem,
  ManifestLine,
} from '../domain/certificates';
import { documentsOf } from '../domain/held-documents';
import type { OutcomeRecord } from '../domain/outcomes';
import {
  decisionFolder,
  itemsPerPart,
  type DecisionRecord,
  type ItemStart,
  type WorkRecord,
  type WorkRef,
} from '../domain/work';
import { getJson, getJsonLines, toJsonLines, type Archive } from './archive';
import { indexDocuments, type NameOf } from './subject-index';

/** An item as an activity sees it. `start` is there only in works made by a person's decision. */
export type WorkItem = ManifestItem & { start?: ItemStart };

/** `latest.json`: which edition of a work's results stands. */
export interface LatestEdition {
  edition: number;
  /** Folder of its rows and summary. */
  rows: string;
  neverSent: string;
  /** Epoch milliseconds at which its merge began to look. */
  snapshotAt: number;
}

/** Input lines stand in parts of this many. */
const linesPerPart = 500;

/** Writes a manifest while the input is being read: bounded memory, in parts. */
export class ManifestWriter<T extends string = CertificateType> {
  protected readonly archive: Archive;
  protected readonly folder: string;
  protected readonly nameOf: NameOf | null;
  #lines: ManifestLine<T>[] = [];
  #items: (ManifestItem<T> & { start?: ItemStart })[] = [];
  #linePart = 0;
  #itemPart = 0;
  #itemCount = 0;

  /** @param nameOf of a job of its own: not for lists within one that is there */
  constructor(archive: Archive, folder: string, nameOf?: NameOf) {
    this.archive = archive;
    this.folder = folder;
    this.nameOf = nameOf ?? null;
  }

  async addLine(line: ManifestLine<T>): Promise<void> {
    this.#lines.push(line);
    if (this.#lines.length === linesPerPart) await this.#flushLines();
  }

  async addItem(item: ManifestItem<T> & { start?: ItemStart }): Promise<void> {
    this.#items.push(item);
    this.#itemCount += 1;
    if (this.#items.length === itemsPerPart) await this.#flushItems();
  }

  /** Everything of it is on file. */
  async end(): Promise<number> {
    if (this.#lines.length > 0) await this.#flushLines();
    if (this.#items.length > 0) await this.#flushItems();
    return this.#itemCount;
  }

  /** Before what is told of them stands there: a purge finds it by this. */
  async #index(told: readonly (ManifestItem<T> | ManifestLine<T>)[]): Promise<void> {
    if (this.nameOf === null) return;
    await indexDocuments(this.archive, this.folder, this.nameOf, told.flatMap(documentsOf));
  }

  async #flushLines(): Promise<void> {
    await this.#index(this.#lines);
    const key = partKey(this.folder, 'lines', this.#linePart);
    await this.archive.putIfAbsent(key, toJsonLines(this.#lines));
    this.#linePart += 1;
    this.#lines = [];
  }

  async #flushItems(): Promise<void> {
    await this.#index(this.#items);
    const key = partKey(this.folder, 'items', this.#itemPart);
    await this.archive.putIfAbsent(key, toJsonLines(this.#items));
    this.#itemPart += 1;
    this.#items = [];
  }
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

/** Lines of a manifest, in order. */
export async function* manifestLines<T extends string>(
  archive: Archive,
  folder: string,
): AsyncGenerator<ManifestLine<T>> {
  yield* manifestParts<ManifestLine<T>>(archive, folder, 'lines');
}

/** Items of a manifest, in order. */
export async function* manifestItems<T extends string>(
  archive: Archive,
  folder: string,
): AsyncGenerator<ManifestItem<T>> {
  yield* manifestParts<ManifestItem<T>>(archive, folder, 'items');
}

async function* manifestParts<R>(
  archive: Archive,
  folder: string,
  kind: 'lines' | 'items',
): AsyncGenerator<R> {
  for (let part = 0; ; part += 1) {
    const records = await getJsonLines<R>(archive, partKey(folder, kind, part));
    if (records === null) return;
    yield* records;
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

  /** The edition of the results that stands; null while the work has none. */
  async summary(folder: string): Promise<BatchSummary | null> {
    const latest = await this.latest(folder);
    return latest && getJson<BatchSummary>(this.#archive, `${latest.rows}/summary.json`);
  }

  /** The results as a person's decision left them: its number is their edition. */
  editionSummary(folder: string, edition: number): Promise<BatchSummary | null> {
    return getJson<BatchSummary>(this.#archive, `${folder}/results/${edition}/summary.json`);
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

  /** One row per input line, in order, of the edition that stands. */
  async *rows(folder: string): AsyncGenerator<FiledRow> {
    const latest = await this.latest(folder);
    if (latest === null) return;
    for (let part = 0; ; part += 1) {
      const key = `${latest.rows}/${String(part).padStart(5, '0')}.jsonl`;
      const rows = await getJsonLines<FiledRow>(this.#archive, key);
      if (rows === null) return;
      yield* rows;
    }
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

/**
 * Outcome objects of a work: one per activity attempt that settled something, never changed.
 *
 * @param name `<driver>/<unique to the activity and its attempt>`
 */
export async function fileOutcomes(
  archive: Archive,
  folder: string,
  name: string,
  records: readonly OutcomeRecord[],
): Promise<void> {
  if (records.length === 0) return;
  const key = `${folder}/outcomes/${name}.jsonl`;
  await archive.putIfAbsent(key, toJsonLines(records));
}

/** Outcomes by the driver that filed them, drivers in order of their names. */
export async function* filedOutcomes(
  archive: Archive,
  folder: string,
): AsyncGenerator<{ driver: string; records: OutcomeRecord[] }> {
  const prefix = `${folder}/outcomes/`;
  const byDriver = new Map<string, string[]>();
  for (const key of await archive.list(prefix)) {
    const driver = key.slice(prefix.length).split('/')[0] ?? '';
    const keys = byDriver.get(driver);
    if (keys === undefined) byDriver.set(driver, [key]);
    else keys.push(key);
  }
  for (const [driver, keys] of byDriver) {
    const records: OutcomeRecord[] = [];
    for (const key of keys)
      records.push(...((await getJsonLines<OutcomeRecord>(archive, key)) ?? []));
    yield { driver, records };
  }
}

/** Folder of a work, from its workflow id (which holds no document). */
export function workFolder(workId: string): string {
  return `works/${workId}`;
}

/** The id of the work that is kept in a folder. */
export function workIdOfFolder(folder: string): string {
  return folder.replace(/^works\//, '');
}

function partKey(folder: string, kind: 'lines' | 'items', part: number): string {
  return `${folder}/${kind}/${String(part).padStart(5, '0')}.jsonl`;
}
