import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { crc32, inflateRawSync } from 'node:zlib';

import {
  type Entry,
  fromBufferPromise,
  getFileNameLowLevel,
  openPromise,
  type ZipFile,
} from 'yauzl';

import type { Words } from '../domain/job';
import { WordedError } from '../domain/core/worded-error';
import { otherFormat } from '../domain/cnab/encoding';
import { withoutKeys } from '../domain/cnab/invoice-key';
import type { InvoiceCode } from './invoice-checks';
import { openInput, unreadable } from './open-input';

/** The rest of the ZIP is not read. */
export class ZipRefused extends WordedError {
  readonly code: InvoiceCode;
  readonly entry: string | null;

  constructor(code: InvoiceCode, found: Words, entry: string | null = null) {
    super(found);
    this.code = code;
    this.entry = entry;
  }
}

export function damaged(name: string): ZipRefused {
  return new ZipRefused(
    'zip_unreadable',
    [
      'an entry that is damaged, or packed unusually',
      'uma entrada corrompida, ou com compactação incomum',
    ],
    name,
  );
}

export interface OpenZip {
  zip: ZipFile;
  /** The whole ZIP; null: it is too large for memory. */
  held: Buffer | null;
}

export async function openZip(path: string): Promise<OpenZip> {
  const { size, beginning } = await beginningOf(path);
  const options = {
    lazyEntries: true,
    autoClose: false,
    // Names are decoded and checked here, so that a refusal can name the entry.
    decodeStrings: false,
    validateEntrySizes: true,
  };
  try {
    if (size > heldBytes) return { zip: await openPromise(path, options), held: null };
    const held = await readFile(path);
    return { zip: await fromBufferPromise(held, options), held };
  } catch {
    throw new ZipRefused('zip_unreadable', whatElse(beginning));
  }
}

/** Smaller files are read at once: two disk reads for each entry take longer than all else. */
const heldBytes = 64 * 2 ** 20;

function whatElse(beginning: Buffer): Words {
  if (beginning.length === 0) return ['an empty file', 'um arquivo vazio'];
  if (beginning.toString('latin1', 0, 2) === 'PK')
    return [
      'a ZIP file that was cut short, or is damaged',
      'um arquivo ZIP truncado, ou corrompido',
    ];
  const other = otherFormat(beginning, 0, beginning.length);
  return other ?? ['a file that is no ZIP', 'um arquivo que não é ZIP'];
}

async function beginningOf(path: string): Promise<{ size: number; beginning: Buffer }> {
  const file = await openInput(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
    return { size, beginning: buffer.subarray(0, bytesRead) };
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    await file.close();
  }
}

export async function* entriesOf(zip: ZipFile): AsyncGenerator<Entry, void> {
  const entries = zip.eachEntry();
  for (;;) {
    const next = await entries.next().catch(() => {
      throw new ZipRefused('zip_unreadable', [
        'a directory that is damaged',
        'um diretório corrompido',
      ]);
    });
    if (next.done === true) return;
    yield next.value;
  }
}

/** Unpacks in one call: an invoice is a few kB, and a stream for each takes longer than its bytes. */
export async function contentOf(
  { zip, held }: OpenZip,
  name: string,
  entry: Entry,
): Promise<Buffer> {
  const { compressionMethod, uncompressedSize: size } = entry;
  if (![0, 8].includes(compressionMethod)) throw damaged(name);
  try {
    const packed =
      held === null
        ? await bytesOf(await zip.openReadStreamPromise(entry, { decodeFileData: false }))
        : packedIn(held, entry);
    const content =
      compressionMethod === 0 ? packed : inflateRawSync(packed, { maxOutputLength: size + 1 });
    if (content.length !== size || crc32(content) !== entry.crc32) throw damaged(name);
    return content;
  } catch {
    throw damaged(name);
  }
}

const localHeader = { mark: 0x04034b50, bytes: 30, nameAt: 26, extraAt: 28 };

/** @throws RangeError beyond its end */
function packedIn(held: Buffer, { compressedSize, relativeOffsetOfLocalHeader: at }: Entry) {
  const { mark, bytes, nameAt, extraAt } = localHeader;
  if (held.readUInt32LE(at) !== mark) throw new RangeError('no entry');
  const from = at + bytes + held.readUInt16LE(at + nameAt) + held.readUInt16LE(at + extraAt);
  if (from + compressedSize > held.length) throw new RangeError('cut short');
  return held.subarray(from, from + compressedSize);
}

/** `node:stream/consumers` makes a Blob of each, which takes as long as unpacking it. */
function bytesOf(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject).on('end', () => resolve(Buffer.concat(chunks)));
  });
}

export function nameOf(entry: Entry): string {
  const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
}

export function isDocument(name: string): boolean {
  return /\.xml$/i.test(name);
}

/** Folders, and files that operating systems add to a ZIP. */
export function isPassedOver(name: string): boolean {
  return name.endsWith('/') || isLitter(name);
}

function isLitter(name: string): boolean {
  const base = name.slice(name.lastIndexOf('/') + 1);
  return name.startsWith('__MACOSX/') || base.startsWith('._') || litter.has(base);
}

const litter = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini']);

export function isSymbolicLink({ versionMadeBy, externalFileAttributes }: Entry): boolean {
  return versionMadeBy >>> 8 === 3 && ((externalFileAttributes >>> 16) & 0o170000) === 0o120000;
}

export function hasControl(name: string): boolean {
  return /[^\x20-\uffff]/.test(name);
}

/** An entry's name often is the key of its invoice. */
export function shownEntry(name: string): string {
  return withoutKeys(name.slice(0, 200).replaceAll(/[^\x20-\x7e\xa1-\uffff]/g, '?'));
}
