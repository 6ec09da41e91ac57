import type { CertificateType, ManifestItem, ManifestLine } from '../domain/certificates';
import { documentsOf } from '../domain/held-documents';
import { itemsPerPart, type ItemStart } from '../domain/work';
import { getJsonLines, toJsonLines, type Archive } from './archive';
import { indexDocuments, type NameOf } from './subject-index';

/** An item as an activity sees it. `start` is there only in works made by a person's decision. */
export type WorkItem = ManifestItem & { start?: ItemStart };

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

/** Records of a manifest, in order. */
export async function* manifestParts<R>(
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

export function partKey(folder: string, kind: 'lines' | 'items', part: number): string {
  return `${folder}/${kind}/${String(part).padStart(5, '0')}.jsonl`;
}
