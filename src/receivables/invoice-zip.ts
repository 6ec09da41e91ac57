import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { crc32, inflateRawSync } from 'node:zlib';

import {
  type Entry,
  fromBufferPromise,
  getFileNameLowLevel,
  openPromise,
  validateFileName,
  type ZipFile,
} from 'yauzl';

import { otherFormat } from '../domain/cnab/encoding';
import { documentsInText } from '../domain/core/documents/held-documents';
import { FindingsKept } from '../domain/cnab/finding';
import { isValidInvoiceKey, maskInvoiceKey, withoutKeys } from '../domain/cnab/invoice-key';
import { unreadable } from './input-file-error';
import { type InvoiceCode, invoiceChecks } from './invoice-checks';
import { type Invoice, InvoiceReader, XmlFault } from './invoice-xml';
import { openInput } from './open-input';

export interface ZipLimits {
  entries: number;
  /** Bytes that one entry unpacks to. */
  entryBytes: number;
  totalBytes: number;
  /** Bytes unpacked for one packed, of entries beyond 1 MiB. */
  ratio: number;
}

/** An NF-e has at most 990 lines: megabytes at the very most, and XML packs to a twentieth. */
export const zipLimits: ZipLimits = {
  entries: 100_000,
  entryBytes: 16 * 2 ** 20,
  totalBytes: 4 * 2 ** 30,
  ratio: 100,
};

export interface InvoiceZip {
  findings: FindingsKept<InvoiceCode>;
  /** By key; of two with the same key, the first. */
  invoices: ReadonlyMap<string, Invoice & { entry: string }>;
  /** What its names and texts may tell of: for the index by which an erasure finds the ZIP. */
  documents: ReadonlySet<string>;
  entries: number;
}

/** The ZIP as a whole is not to be read any further. */
class ZipRefused extends Error {
  readonly code: InvoiceCode;
  readonly found: string;
  readonly entry: string | null;

  constructor(code: InvoiceCode, found: string, entry: string | null = null) {
    super(found);
    this.code = code;
    this.found = found;
    this.entry = entry;
  }
}

const ratioFromBytes = 2 ** 20;
const mostPerCode = 20;

/**
 * Looks at every entry of a ZIP of invoices, unpacking one at a time and nothing to the disk. What is
 * wrong with it is a finding. Throws InputFileError when there is no such file.
 */
export async function readInvoiceZip(
  path: string,
  limits: ZipLimits = zipLimits,
): Promise<InvoiceZip> {
  const reading = new ZipReading(limits);
  try {
    await reading.read(await openZip(path));
  } catch (error) {
    if (!(error instanceof ZipRefused)) throw error;
    reading.refuse(error);
  }
  return reading.result();
}

class ZipReading {
  readonly #limits: ZipLimits;
  readonly #findings = new FindingsKept<InvoiceCode>(invoiceChecks, mostPerCode);
  readonly #invoices = new Map<string, Invoice & { entry: string }>();
  readonly #names = new Set<string>();
  readonly #documents = new Set<string>();
  #entries = 0;
  #unpacked = 0;
  #packed = 0;
  #refused = false;

  constructor(limits: ZipLimits) {
    this.#limits = limits;
  }

  async read(zip: ZipFile): Promise<void> {
    try {
      if (zip.entryCount > this.#limits.entries) {
        const most = `at most ${this.#limits.entries}`;
        throw new ZipRefused('zip_too_large', `${zip.entryCount} entries, ${most} are taken`);
      }
      for await (const entry of entriesOf(zip)) await this.#entry(zip, entry);
    } finally {
      zip.close();
    }
  }

  refuse({ code, found, entry }: ZipRefused): void {
    this.#refused = true;
    this.#findings.add(code, found, entry === null ? {} : { entry: shownEntry(entry) });
  }

  result(): InvoiceZip {
    if (this.#invoices.size === 0 && !this.#refused) {
      this.#findings.add('no_invoice', `${this.#entries} entries, none of them an NF-e`);
    }
    return {
      findings: this.#findings,
      invoices: this.#invoices,
      documents: this.#documents,
      entries: this.#entries,
    };
  }

  async #entry(zip: ZipFile, entry: Entry): Promise<void> {
    this.#entries += 1;
    const name = nameOf(entry);
    this.#checkName(name, entry);
    this.#checkSize(zip, name, entry);
    this.#addDocuments(name);
    if (isPassedOver(name)) return;
    if (entry.isEncrypted()) throw new ZipRefused('zip_encrypted', 'an encrypted entry', name);
    if (!isDocument(name)) {
      this.#findings.add('not_xml', 'another kind of file', { entry: shownEntry(name) });
      return;
    }
    await this.#document(zip, name, entry);
  }

  #checkName(name: string, entry: Entry): void {
    const wrong = validateFileName(name);
    if (wrong !== null) throw new ZipRefused('zip_path', wrong.split(':')[0] ?? '', name);
    if (hasControl(name)) throw new ZipRefused('zip_path', 'a control character', name);
    if (isSymbolicLink(entry)) throw new ZipRefused('zip_path', 'a symbolic link', name);
    if (this.#names.has(name)) throw new ZipRefused('zip_repeated_name', 'the name again', name);
    this.#names.add(name);
  }

  /** What the directory tells is held to while unpacking: an entry that goes on beyond it is refused. */
  #checkSize(zip: ZipFile, name: string, entry: Entry): void {
    const { uncompressedSize: size, compressedSize: packed } = entry;
    const { entryBytes, totalBytes, ratio } = this.#limits;
    this.#unpacked += size;
    this.#packed += packed;
    const refuse = (found: string): never => {
      throw new ZipRefused('zip_too_large', found, name);
    };
    if (size > entryBytes) refuse(`unpacks to ${size} bytes, at most ${entryBytes} are taken`);
    if (packed > entryBytes)
      refuse(`is packed in ${packed} bytes, at most ${entryBytes} are taken`);
    if (size > ratioFromBytes && size > packed * ratio) {
      refuse(`unpacks to ${Math.round(size / Math.max(packed, 1))} times its size`);
    }
    if (this.#unpacked > totalBytes) refuse(`all unpack to more than ${totalBytes} bytes`);
    // Entries that share their bytes: a bomb without any one large entry.
    if (this.#packed > zip.fileSize) refuse('the entries overlap');
  }

  async #document(zip: ZipFile, name: string, entry: Entry): Promise<void> {
    const place = { entry: shownEntry(name) };
    const content = await contentOf(zip, name, entry);
    // Digits are bytes of their own in every encoding but UTF-16, which has a NUL beside each.
    this.#addDocuments(content.toString('latin1').replaceAll('\0', ''));
    const reader = new InvoiceReader();
    try {
      reader.write(content);
      const reading = reader.end();
      if (reading.kind === 'other') {
        const root = reading.root.slice(0, 60);
        this.#findings.add('not_an_invoice', `a document of type ${root}`, place);
        return;
      }
      for (const invoice of reading.invoices) this.#invoice(invoice, name);
    } catch (error) {
      if (error instanceof XmlFault) this.#findings.add(error.code, error.message, place);
      else if (error instanceof ZipRefused) throw error;
      else throw damaged(name);
    }
  }

  #addDocuments(text: string): void {
    for (const document of documentsInText(text)) this.#documents.add(document);
  }

  #invoice(invoice: Invoice, name: string): void {
    const place = { entry: shownEntry(name) };
    const { key, protocolKey } = invoice;
    if (!isValidInvoiceKey(key)) {
      this.#findings.add('xml_key', key === '' ? 'no key' : 'another text', place);
    }
    if (protocolKey !== null && protocolKey !== key) {
      this.#findings.add('xml_protocol', maskInvoiceKey(protocolKey), place);
    }
    const before = this.#invoices.get(key);
    if (before === undefined) this.#invoices.set(key, { ...invoice, entry: name });
    else this.#findings.add('repeated_invoice', `also in ${shownEntry(before.entry)}`, place);
  }
}

function damaged(name: string): ZipRefused {
  return new ZipRefused('zip_unreadable', 'an entry that is damaged, or packed unusually', name);
}

async function openZip(path: string): Promise<ZipFile> {
  const ends = await endsOf(path);
  const options = {
    lazyEntries: true,
    autoClose: false,
    // Names are decoded and judged here, so that a refusal can name the entry.
    decodeStrings: false,
    validateEntrySizes: true,
  };
  try {
    return ends.size <= heldBytes
      ? await fromBufferPromise(await readFile(path), options)
      : await openPromise(path, options);
  } catch {
    throw new ZipRefused('zip_unreadable', whatElse(ends));
  }
}

/** Up to so many it is read at once: two reads of the disk for each entry take longer than all else. */
const heldBytes = 64 * 2 ** 20;

interface FileEnds {
  size: number;
  beginning: Buffer;
  /** As much as may hold the record that a ZIP ends with, and its comment. */
  ending: Buffer;
}

const endRecord = { mark: Buffer.from('PK\x05\x06', 'latin1'), bytes: 22, mostWithComment: 65_557 };

function whatElse({ beginning, ending }: FileEnds): string {
  if (beginning.length === 0) return 'an empty file';
  const isZip = beginning.subarray(0, 2).toString('latin1') === 'PK';
  if (!isZip) return otherFormat(beginning, 0, beginning.length) ?? 'a file that is no ZIP';
  const at = ending.lastIndexOf(endRecord.mark);
  if (at < 0 || at + endRecord.bytes > ending.length) return 'a ZIP file that was cut short';
  const end = at + endRecord.bytes + ending.readUInt16LE(at + endRecord.bytes - 2);
  return end < ending.length
    ? 'a ZIP file with other bytes behind its end'
    : 'a ZIP file that is damaged';
}

async function endsOf(path: string): Promise<FileEnds> {
  const file = await openInput(path);
  try {
    const { size } = await file.stat();
    const read = async (from: number, bytes: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, from);
      return buffer.subarray(0, bytesRead);
    };
    const tail = Math.min(size, endRecord.mostWithComment);
    return { size, beginning: await read(0, 16), ending: await read(size - tail, tail) };
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    await file.close();
  }
}

async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry, void> {
  const entries = zip.eachEntry();
  for (;;) {
    const next = await entries.next().catch(() => {
      throw new ZipRefused('zip_unreadable', 'a directory that is damaged');
    });
    if (next.done === true) return;
    yield next.value;
  }
}

/** Unpacked at once: an invoice is a few kB, and a stream for each takes longer than its bytes. */
async function contentOf(zip: ZipFile, name: string, entry: Entry): Promise<Buffer> {
  const { compressionMethod, uncompressedSize: size } = entry;
  if (![0, 8].includes(compressionMethod)) throw damaged(name);
  try {
    const packed = await bytesOf(await zip.openReadStreamPromise(entry, { decodeFileData: false }));
    const content =
      compressionMethod === 0 ? packed : inflateRawSync(packed, { maxOutputLength: size + 1 });
    if (content.length !== size || crc32(content) !== entry.crc32) throw damaged(name);
    return content;
  } catch {
    throw damaged(name);
  }
}

/** `node:stream/consumers` makes a Blob of each, which takes as long as to unpack it. */
function bytesOf(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject).on('end', () => resolve(Buffer.concat(chunks)));
  });
}

function nameOf(entry: Entry): string {
  const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
}

function isDocument(name: string): boolean {
  return /\.xml$/i.test(name);
}

/** Folders, and what systems leave in ZIP files without being asked. */
function isPassedOver(name: string): boolean {
  return name.endsWith('/') || isLitter(name);
}

function isLitter(name: string): boolean {
  const base = name.slice(name.lastIndexOf('/') + 1);
  return name.startsWith('__MACOSX/') || base.startsWith('._') || litter.has(base);
}

const litter = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini']);

function isSymbolicLink({ versionMadeBy, externalFileAttributes }: Entry): boolean {
  return versionMadeBy >>> 8 === 3 && ((externalFileAttributes >>> 16) & 0o170000) === 0o120000;
}

function hasControl(name: string): boolean {
  return /[^\x20-\uffff]/.test(name);
}

/** An entry's name often is the key of its invoice. */
export function shownEntry(name: string): string {
  return withoutKeys(name.slice(0, 200).replaceAll(/[^\x20-\x7e\xa1-\uffff]/g, '?'));
}
