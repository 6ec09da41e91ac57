import type { FiledRow, ManifestItem, ManifestLine } from '../domain/certificates';
import { documentsIn } from './document-index';

const erasedMark = '[erased]';
/** Between the digits of a document as people write it: punctuation, and what nobody sees. */
const between = '[\\s./\\-\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060\\u2066-\\u2069]*';
/** Zeros in front may have been lost; fewer digits than this are not a document's alone. */
const fewestDigits = 8;

/** Whom a purge is about within one work: which of its rows, and what else may quote them. */
export class ErasureSubject {
  readonly document: string;
  readonly name: string;
  readonly items = new Set<number>();
  readonly #lines = new Set<number>();
  readonly #quoted: RegExp;
  #ids: readonly string[] = [];
  #officialNames: readonly string[] = [];

  /** @param name the document's, of `IdKey.nameOf` */
  constructor(document: string, name: string) {
    this.document = document;
    this.name = name;
    this.#quoted = quotedForms(document);
  }

  /** Learns the rows of a work, items first: lines point at them. */
  takeItem(item: ManifestItem): void {
    // A tombstone stays one: outcomes of it may be left from a purge that was cut short.
    if (item.document === this.document || item.erased === true) this.items.add(item.item);
  }

  takeLine(line: ManifestLine): void {
    if (this.holdsLine(line)) this.#lines.add(line.line);
  }

  /** What was told about the rows: quoted by people in their notes. */
  takeTold(ids: readonly string[], officialNames: readonly string[]): void {
    this.#ids = ids;
    this.#officialNames = officialNames.filter((name) => name.length > 3);
  }

  holdsLine(line: ManifestLine): boolean {
    if (line.kind === 'item') return this.items.has(line.item);
    if (line.kind === 'duplicate') return this.items.has(line.item);
    return line.erased === true || documentsIn(line.document).includes(this.document);
  }

  holdsRow(row: Pick<FiledRow, 'line'>): boolean {
    return this.#lines.has(row.line);
  }

  /** The text without the document, however it is punctuated. */
  scrubText(text: string): string {
    let clean = text.replaceAll(this.#quoted, erasedMark);
    for (const id of this.#ids) clean = clean.replaceAll(id, erasedMark);
    return clean;
  }

  /**
   * The record without quotations: of the document and its issuances anywhere, of its owner's name
   * in notes only, since another row may rightly have the same. The very same when there are none.
   */
  scrub<T>(record: T): T {
    return this.#scrubbed(record, '') as T;
  }

  #scrubbed(value: unknown, field: string): unknown {
    if (typeof value === 'string') {
      // A document of another's, which may differ by a zero in front alone.
      if (field === 'document' && /^\d+$/.test(value) && value !== this.document) return value;
      const clean = this.scrubText(value);
      return field === 'note' ? this.#withoutNames(clean) : clean;
    }
    if (Array.isArray(value)) return value.map((one) => this.#scrubbed(one, field));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([name, one]) => [name, this.#scrubbed(one, name)]));
  }

  #withoutNames(text: string): string {
    return this.#officialNames.reduce((clean, name) => clean.replaceAll(name, erasedMark), text);
  }
}

function quotedForms(document: string): RegExp {
  const bare = document.replace(/^0+/, '');
  const needed = bare.length < fewestDigits ? document : bare;
  const digits = needed.split('').join(between);
  const zeros = needed === document ? '' : `(?:0${between}){0,${document.length - needed.length}}`;
  return new RegExp(`(?<![0-9])${zeros}${digits}(?![0-9])`, 'giu');
}
