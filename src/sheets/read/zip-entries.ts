import { crc32 } from 'node:zlib';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { WordedError } from '../../domain/core/worded-error';
import type { Words } from '../../domain/job';

export interface ZipEntry {
  name: string;
  isEncrypted: boolean;
  /** Unpacked size in bytes, as the directory states it. */
  size: number;
  /** Unpacks it, never beyond its stated size. @throws ZipError when size or checksum differ */
  content(): Promise<Buffer>;
}

export class ZipError extends WordedError {
  override readonly name = 'ZipError';
}

export async function zipEntries(bytes: Buffer): Promise<ZipEntry[]> {
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true });
    const entries: ZipEntry[] = [];
    for await (const entry of zip.eachEntry()) {
      entries.push({
        name: entry.fileName,
        isEncrypted: entry.isEncrypted(),
        size: entry.uncompressedSize,
        content: () => contentOf(zip, entry),
      });
    }
    return entries;
  } catch (cause) {
    throw new ZipError(
      [
        'it is cut short, or its directory is damaged',
        'está truncado, ou o seu diretório, corrompido',
      ],
      { cause },
    );
  }
}

async function contentOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const { crc32: stated, fileName: name } = entry;
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
  } catch (cause) {
    throw new ZipError(damagedPart(name), { cause });
  }
  const content = Buffer.concat(chunks);
  if (crc32(content) !== stated) throw new ZipError(damagedPart(name));
  return content;
}

export function missingPart(name: string): Words {
  return [`its part ${name} is missing`, `falta a sua parte ${name}`];
}

function damagedPart(name: string): Words {
  return [`its part ${name} is damaged`, `a sua parte ${name} está corrompida`];
}
