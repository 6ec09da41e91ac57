import { createHash, randomUUID } from 'node:crypto';
import { getJson, type Archive } from './archive';

/** `<key>.json`: where the parts of a large object stand. Written last: with it the object is there. */
export interface LargeObject {
  folder: string;
  parts: number;
  bytes: number;
  /** Hex, of the whole. */
  sha256: string;
}

const partBytes = 4 * 1024 * 1024;

/**
 * Files bytes as they come, in parts: neither their sealing nor an object store needs the whole of
 * them at once. The first object that is complete stays.
 *
 * @param check reads what was filed; what it throws passes through, and nothing stays
 */
export async function putLarge(
  archive: Archive,
  key: string,
  body: AsyncIterable<Uint8Array>,
  check: (bytes: AsyncIterable<Buffer>) => Promise<unknown> = async () => undefined,
): Promise<LargeObject> {
  const folder = `${key}/${randomUUID()}`;
  const hash = createHash('sha256');
  let parts = 0;
  let bytes = 0;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  const flush = async (): Promise<void> => {
    if (heldBytes === 0) return;
    await archive.putIfAbsent(partKey(folder, parts), Buffer.concat(held), { durable: true });
    parts += 1;
    held = [];
    heldBytes = 0;
  };
  try {
    for await (const chunk of body) {
      hash.update(chunk);
      bytes += chunk.length;
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes >= partBytes) await flush();
    }
    await flush();
    await check(partsOf(archive, folder, parts));
  } catch (error) {
    await removeParts(archive, folder, parts);
    throw error;
  }
  const object: LargeObject = { folder, parts, bytes, sha256: hash.digest('hex') };
  const put = await archive.putIfAbsent(`${key}.json`, JSON.stringify(object), { durable: true });
  if (put === 'stored') return object;
  await removeParts(archive, folder, parts);
  return (await findLarge(archive, key)) ?? object;
}

export function findLarge(archive: Archive, key: string): Promise<LargeObject | null> {
  return getJson<LargeObject>(archive, `${key}.json`);
}

/** @throws RangeError when it is not there, or a part of it is missing */
export async function* readLarge(archive: Archive, key: string): AsyncGenerator<Buffer> {
  const object = await findLarge(archive, key);
  if (object === null) throw new RangeError(`the archive does not hold ${key}`);
  yield* partsOf(archive, object.folder, object.parts);
}

async function* partsOf(archive: Archive, folder: string, parts: number): AsyncGenerator<Buffer> {
  for (let part = 0; part < parts; part += 1) {
    const bytes = await archive.get(partKey(folder, part));
    if (bytes === null) throw new RangeError(`the archive lacks part ${part} of ${folder}`);
    yield bytes;
  }
}

/** What a crash leaves behind is found by nobody, and harms nobody but the disk. */
async function removeParts(archive: Archive, folder: string, parts: number): Promise<void> {
  for (let part = 0; part < parts; part += 1) {
    await archive.remove(partKey(folder, part)).catch(() => undefined);
  }
}

function partKey(folder: string, part: number): string {
  return `${folder}/${String(part).padStart(5, '0')}`;
}
