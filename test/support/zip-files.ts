import { crc32, deflateRawSync } from 'node:zlib';

export interface TestEntry {
  name: string;
  content?: string | Buffer;
  /** Bit 0: encrypted. Names are marked as UTF-8 in any case. */
  flags?: number;
  /** How it is said to be packed; deflated by default, which it is. */
  method?: number;
  /** Told in the directory in place of the true ones. */
  told?: { size?: number; packedSize?: number; crc?: number };
  /** Where its bytes are said to begin: that of another entry makes two entries overlap. */
  at?: number;
  /** Unix mode, such as 0o120777 for a symbolic link. */
  mode?: number;
}

/** A ZIP file with what is wrong in it told by the entries. */
export function zipFile(entries: readonly TestEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? '');
    const packed = deflateRawSync(content);
    const name = Buffer.from(entry.name);
    const facts = {
      flags: (entry.flags ?? 0) | 0x800,
      method: entry.method ?? deflated,
      crc: entry.told?.crc ?? crc32(content),
      packedSize: entry.told?.packedSize ?? packed.length,
      size: entry.told?.size ?? content.length,
    };
    const header = Buffer.concat([localHeader(name.length, facts), name, packed]);
    directory.push(
      directoryEntry(name.length, facts, entry.at ?? at, entry.mode ?? 0o100644),
      name,
    );
    parts.push(header);
    at += header.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, listed, end]);
}

interface Facts {
  flags: number;
  method: number;
  crc: number;
  packedSize: number;
  size: number;
}

const deflated = 8;

function localHeader(nameLength: number, facts: Facts): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  writeFacts(header, 6, facts);
  header.writeUInt16LE(nameLength, 26);
  return header;
}

function directoryEntry(nameLength: number, facts: Facts, at: number, mode: number): Buffer {
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  // Made on Unix, so that the mode counts.
  entry.writeUInt16LE(0x0314, 4);
  entry.writeUInt16LE(20, 6);
  writeFacts(entry, 8, facts);
  entry.writeUInt16LE(nameLength, 28);
  entry.writeUInt32LE((mode << 16) >>> 0, 38);
  entry.writeUInt32LE(at, 42);
  return entry;
}

/** From the flags to the sizes both headers are alike. */
function writeFacts(
  header: Buffer,
  at: number,
  { flags, method, crc, packedSize, size }: Facts,
): void {
  header.writeUInt16LE(flags, at);
  header.writeUInt16LE(method, at + 2);
  header.writeUInt32LE(crc, at + 8);
  header.writeUInt32LE(packedSize, at + 12);
  header.writeUInt32LE(size, at + 16);
}
