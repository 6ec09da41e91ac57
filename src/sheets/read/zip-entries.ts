import { WordedError } from '../../domain/core/worded-error';
import type { Words } from '../../domain/job';
import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';

/** One file inside a zip file, from its directory. */
export interface ZipEntry {
  name: string;
  encrypted: boolean;
  /** 0 stored, 8 deflated. */
  method: number;
  crc: number;
  packedSize: number;
  /** Unpacked size in bytes, as the directory states it; `unpackEntry` checks it. */
  size: number;
  /** Offset of its local header. */
  at: number;
}

/** The zip file is truncated, damaged, or inconsistent. */
export class ZipError extends WordedError {
  override readonly name = 'ZipError';
}

const directoryEnd = 0x06054b50;
const directoryEntry = 0x02014b50;
const localHeader = 0x04034b50;
const longestComment = 0xffff;

const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

/**
 * The directory at the end of a zip file (APPNOTE 4.3). Files beyond 4 GB (ZIP64) are not read:
 * nothing near that size is. Throws ZipError.
 */
export function zipEntries(bytes: Buffer): ZipEntry[] {
  const end = endOfDirectory(bytes);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  const entries: ZipEntry[] = [];
  for (let read = 0; read < count; read += 1) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== directoryEntry) {
      throw new ZipError(['its directory is damaged', 'o seu diretório está corrompido']);
    }
    const nameLength = bytes.readUInt16LE(at + 28);
    entries.push({
      name: bytes.toString('utf8', at + 46, at + 46 + nameLength),
      encrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packedSize: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      at: bytes.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

function endOfDirectory(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - 22 - longestComment);
  for (let at = bytes.length - 22; at >= first; at -= 1) {
    if (bytes.readUInt32LE(at) === directoryEnd) return at;
  }
  throw new ZipError(['it is cut short', 'está truncado']);
}

/** Unpacks one entry, never beyond its stated size. Throws ZipError when size or checksum differ. */
export async function unpackEntry(bytes: Buffer, entry: ZipEntry): Promise<Buffer> {
  const { name, at, packedSize, size, method } = entry;
  if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== localHeader) {
    throw new ZipError(missingPart(name));
  }
  const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const packed = bytes.subarray(start, start + packedSize);
  const content = method === 0 ? packed : await inflated(packed, entry);
  if (content.length !== size || crc32(content) !== entry.crc) {
    throw new ZipError(damagedPart(name));
  }
  return content;
}

async function inflated(packed: Buffer, { name, size, method }: ZipEntry): Promise<Buffer> {
  if (method !== 8)
    throw new ZipError([
      `its part ${name} is packed in a way that is not known`,
      `a sua parte ${name} usa uma compactação desconhecida`,
    ]);
  try {
    return await inflate(packed, { maxOutputLength: Math.max(size, 1) });
  } catch (error) {
    throw new ZipError(damagedPart(name), { cause: error });
  }
}

export function missingPart(name: string): Words {
  return [`its part ${name} is missing`, `falta a sua parte ${name}`];
}

function damagedPart(name: string): Words {
  return [`its part ${name} is damaged`, `a sua parte ${name} está corrompida`];
}
