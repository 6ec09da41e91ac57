import { createHash, randomUUID } from 'node:crypto';
import type { Store } from '../store';
import { StoreError } from '../store-error';
import { nameBytes, type StoredBytes } from '../records';

/** `<key>.json`: names the parts of a large object. */
export interface LargeObject {
  /** `<key>/<uuid>`. */
  folder: string;
  parts: number;
  bytes: number;
  sha256: string;
}

/** Memory bound for sealing and object stores. */
const partBytes = 1024 * 1024;

/** The bytes do not match their announced hash. */
export class OtherBytesError extends Error {
  override readonly name = 'OtherBytesError';
}

interface PutLargeOptions {
  sha256?: string;
  /** Reads all bytes after they are stored in parts; its errors pass through. */
  check?: (bytes: AsyncIterable<Uint8Array>) => Promise<unknown>;
}

/**
 * Streams bytes into parts, which are named once complete. The first complete object stays. A failure leaves
 * nothing; a killed process leaves unnamed bytes.
 */
export async function putLarge(
  store: Store,
  key: string,
  body: AsyncIterable<Uint8Array>,
  { sha256, check = readAll }: PutLargeOptions = {},
): Promise<LargeObject> {
  const folder = `${key}/${randomUUID()}`;
  const hash = createHash('sha256');
  const parts: StoredBytes[] = [];
  let bytes = 0;
  let isRead = false;
  const storePart = async (part: Uint8Array): Promise<void> => {
    const one = await store.records.storeBytes(partKey(folder, parts.length), part);
    if (one !== null) parts.push(one);
  };
  async function* stored(): AsyncGenerator<Uint8Array> {
    let storing = Promise.resolve();
    try {
      for await (const part of inParts(body)) {
        hash.update(part);
        bytes += part.length;
        await storing;
        // Written while it is checked and while the next part arrives.
        storing = storePart(part);
        storing.catch(() => undefined);
        yield part;
      }
      await storing;
      isRead = true;
    } finally {
      // The rest is removed afterwards.
      await storing.catch(() => undefined);
    }
  }
  try {
    await check(stored());
    if (!isRead) throw new RangeError(`${folder} was not read to its end`);
    const object = { folder, parts: parts.length, bytes, sha256: hash.digest('hex') };
    if (sha256 !== undefined && object.sha256 !== sha256) {
      throw new OtherBytesError(`the bytes of ${key} add up to another sum`);
    }
    const manifest = await store.records.insertion(`${key}.json`, JSON.stringify(object));
    await store.commit([manifest, ...parts.map(nameBytes)]);
    return object;
  } catch (error) {
    const code = error instanceof StoreError ? error.code : null;
    // It is not known whether it is named.
    if (code === 'other') throw error;
    await store.removeBlobs(parts.map(({ blob }) => blob));
    const first = code === 'unchanged' ? await findLarge(store, key) : null;
    if (first === null) throw error;
    return first;
  }
}

export function findLarge(store: Store, key: string): Promise<LargeObject | null> {
  return store.records.getJson<LargeObject>(`${key}.json`);
}

/** @throws RangeError when it or a part is missing, or was altered */
export async function* readLarge(store: Store, key: string): AsyncGenerator<Buffer> {
  const object = await findLarge(store, key);
  if (object === null) throw new RangeError(`the store does not hold ${key}`);
  const hash = createHash('sha256');
  for (let part = 0; part < object.parts; part += 1) {
    const bytes = await store.records.get(partKey(object.folder, part));
    if (bytes === null) throw new RangeError(`the store lacks part ${part} of ${key}`);
    hash.update(bytes);
    yield bytes;
  }
  if (hash.digest('hex') !== object.sha256) throw new RangeError(`${key} is not what was stored`);
}

async function* inParts(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const chunk of body) {
    held.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes < partBytes) continue;
    yield Buffer.concat(held);
    held = [];
    heldBytes = 0;
  }
  if (heldBytes > 0) yield Buffer.concat(held);
}

async function readAll(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of bytes);
}

export function partKey(folder: string, part: number): string {
  return `${folder}/${String(part).padStart(5, '0')}`;
}
