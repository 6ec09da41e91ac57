import type { ManifestItem, ManifestLine } from '../domain/certificates';
import { documentLengths, normaliseDocument } from '../domain/documents';
import { documentsInText } from '../domain/held-documents';
import { getJsonLines, keySegment, toJsonLines, type Archive } from './archive';

/** The name of a document within the installation: `IdKey.nameOf('document', ...)`. */
export type NameOf = (document: string) => string;

/** No document is written longer than the key of an invoice, with its name before it. */
const longestForm = 100;

/** Names kept in memory until they are put: a bound, whatever the size of the work. */
const mostNames = 20_000;

/**
 * Files which documents a work, an uploaded file or a result of an analysis holds, by name:
 * `index/documents/<first digit>/<folder>.<part>.jsonl`. Sixteen shelves: enough to read little, few
 * enough to write little.
 */
export class DocumentIndexWriter {
  readonly #archive: Archive;
  readonly #folder: string;
  readonly #nameOf: NameOf;
  #names = new Set<string>();
  #part = 0;

  constructor(archive: Archive, folder: string, nameOf: NameOf) {
    this.#archive = archive;
    this.#folder = folder;
    this.#nameOf = nameOf;
  }

  async add(record: ManifestItem<string> | ManifestLine<string>): Promise<void> {
    for (const document of documentsOf(record)) this.#names.add(this.#nameOf(document));
    if (this.#names.size >= mostNames) await this.flush();
  }

  async addDocument(document: string): Promise<void> {
    this.#names.add(this.#nameOf(document));
    if (this.#names.size >= mostNames) await this.flush();
  }

  /** Hands the bytes of a result on, and files what they hold at their end. */
  async *indexed(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let rest = '';
    for await (const chunk of bytes) {
      const text = rest + Buffer.from(chunk).toString('latin1');
      for (const document of documentsInText(text)) await this.addDocument(document);
      rest = text.slice(-longestForm);
      yield chunk;
    }
    await this.flush();
  }

  async flush(): Promise<void> {
    const shelves = new Map<string, string[]>();
    for (const name of this.#names) {
      const shelf = shelves.get(shelfOf(name)) ?? [];
      shelves.set(shelfOf(name), shelf);
      shelf.push(name);
    }
    const part = this.#part;
    await Promise.all(
      [...shelves].map(([shelf, names]) => {
        const key = `${indexPrefix}${shelf}/${indexName(this.#folder, part)}`;
        return this.#archive.putIfAbsent(key, toJsonLines(names.sort()));
      }),
    );
    this.#part += 1;
    this.#names = new Set();
  }
}

/**
 * Every document that a line or item may tell of: its own, what a cell that could not be read may
 * hold, and what has the shape of one in the user's reference.
 */
export function documentsOf(record: ManifestItem<string> | ManifestLine<string>): string[] {
  if ('erased' in record && record.erased) return [];
  const quoted = 'reference' in record ? documentsIn(record.reference) : [];
  if ('code' in record) return [...documentsIn(record.document), ...quoted];
  return 'document' in record ? [record.document, ...quoted] : quoted;
}

/**
 * Documents that free text may hold: each of its words and, without letters, all of it together,
 * without punctuation; what is too short may have lost its zeros.
 */
export function documentsIn(text: string): string[] {
  const shapes = text.match(punctuated) ?? [];
  const words = [...text.split(/[\s,;|]+/), ...shapes];
  if (!/\p{L}/u.test(text)) words.push(text);
  const found = new Set<string>();
  for (const word of words) {
    const bare = normaliseDocument(word);
    if (isAlphanumeric(bare)) found.add(bare);
    const digits = word.replaceAll(/\D/g, '');
    if (digits.length < fewestDigits) continue;
    for (const length of Object.values(documentLengths)) {
      if (digits.length <= length) found.add(digits.padStart(length, '0'));
    }
  }
  return [...found];
}

const punctuated =
  /\d{3}[. ]?\d{3}[. ]?\d{3}[- ]?\d{2}(?!\d)|\d{2}[. ]?\d{3}[. ]?\d{3}[/ ]{0,3}\d{4}[- ]?\d{2}(?!\d)/g;

/** Fewer digits are a code or a year; a document that begins with more zeros has no owner. */
const fewestDigits = 8;

function isAlphanumeric(bare: string): boolean {
  return /^[0-9A-Z]{12}\d{2}$/.test(bare) && /[A-Z]/.test(bare);
}

/** Holders (`folderOfIndex`) of each document, of those that are in the index. */
export async function indexedHolders(
  archive: Archive,
  names: ReadonlySet<string>,
): Promise<Map<string, Set<string>>> {
  const holders = new Map<string, Set<string>>();
  for (const shelf of new Set([...names].map(shelfOf))) {
    for (const key of await archive.list(`${indexPrefix}${shelf}/`)) {
      const folder = folderOfIndex(key);
      for (const name of (await getJsonLines<string>(archive, key)) ?? []) {
        if (names.has(name)) addHolder(holders, name, folder);
      }
    }
  }
  return holders;
}

export function addHolder(
  holders: Map<string, Set<string>>,
  name: string,
  folder: string,
): Map<string, Set<string>> {
  const known = holders.get(name);
  if (known === undefined) holders.set(name, new Set([folder]));
  else known.add(folder);
  return holders;
}

export const indexPrefix = 'index/documents/';

/**
 * What an object of the index tells of: the folder of a work (`works/...`), the key of an uploaded
 * file (`inputs/...`), the folder of an operation (`operations/<shelf>/<id>`), whichever of its
 * results was read, that of a monitor (`monitors/<id>`), whichever of its changes, that of a search or
 * lookup (`traces/<name>/<instant>`, `profiles/<name>/<instant>`) or of a batch of them
 * (`inquiries/<kind>/<name>/<instant>`), whatever of it, that of a dossier (`dossiers/<id>/<instant>`), or
 * what was asked or answered of a picture (`lens/<name>/<instant>/...`).
 */
export function folderOfIndex(key: string): string {
  const name = key.slice(key.lastIndexOf('/') + 1).replace(/\.\d+\.jsonl$/, '');
  const folder = decodeURIComponent(name);
  return (
    /^(?:(?:operations|traces|profiles|inquiries\/[^/]+)\/[^/]+\/[^/]+|monitors\/[^/]+)/.exec(
      folder,
    )?.[0] ?? folder
  );
}

export function isOnShelf(key: string, name: string): boolean {
  return key.startsWith(`${indexPrefix}${shelfOf(name)}/`);
}

function indexName(folder: string, part: number): string {
  return `${keySegment(folder)}.${String(part).padStart(5, '0')}.jsonl`;
}

function shelfOf(name: string): string {
  return name.slice(0, 1);
}
