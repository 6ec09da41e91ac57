import { createHash, randomUUID } from 'node:crypto';
import type { Store } from '../store';
import { StoreError } from '../store-error';
import { nameBytes, type StoredBytes } from './stored-bytes';

/** `<key>.json`: where the parts of a large object stand. Named with it. */
export interface LargeObject {
  /** `<key>/<uuid>`. */
  folder: string;
  parts: number;
  bytes: number;
  /** Hex, of the whole. */
  sha256: string;
}

/** Neither their sealing nor an object store needs more of an object than this at once. */
const partBytes = 1024 * 1024;

/** What is to be put is not what was told. */
export class OtherBytesError extends Error {
  override readonly name = 'OtherBytesError';
}

interface PutLargeOptions {
  /** What its bytes must add up to. */
  sha256?: string;
  /** Reads the bytes, all of them, while they are filed; what it throws passes through. */
  check?: (bytes: AsyncIterable<Uint8Array>) => Promise<unknown>;
}

/**
 * Files bytes as they come, in parts, which are named when all of them are there. The first object that is
 * complete stays. What fails leaves nothing; what was killed leaves bytes that no record names.
 *
 * @throws OtherBytesError
 */
export async function putLarge(
  store: Store,
  key: string,
  body: AsyncIterable<Uint8Array>,
  { sha256, check = readAll }: PutLargeOptions = {},
): Promise<LargeObject> {
  const writing = new Writing(store, `${key}/${randomUUID()}`);
  try {
    await check(writing.filed(body));
    const object = writing.finish();
    if (sha256 !== undefined && object.sha256 !== sha256) {
      throw new OtherBytesError(`the bytes of ${key} add up to another sum`);
    }
    const manifest = await store.records.insertion(`${key}.json`, JSON.stringify(object));
    await store.commit([manifest, ...writing.parts.map(nameBytes)]);
    return object;
  } catch (error) {
    const code = error instanceof StoreError ? error.code : null;
    // Nobody knows whether it is named.
    if (code === 'other') throw error;
    await store.removeBlobs(writing.parts.map(({ blob }) => blob));
    const first = code === 'unchanged' ? await findLarge(store, key) : null;
    if (first === null) throw error;
    return first;
  }
}

export function findLarge(store: Store, key: string): Promise<LargeObject | null> {
  return store.records.getJson<LargeObject>(`${key}.json`);
}

/** @throws RangeError when it is not there, a part of it is missing, or it is not what was put */
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
  if (hash.digest('hex') !== object.sha256) throw new RangeError(`${key} is not what was filed`);
}

/** One attempt to write an object. */
class Writing {
  /** Named by no record yet. */
  readonly parts: StoredBytes[] = [];
  readonly #folder: string;
  readonly #store: Store;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #isRead = false;

  constructor(store: Store, folder: string) {
    this.#store = store;
    this.#folder = folder;
  }

  /** Hands the bytes on when it has them. */
  async *filed(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      this.#hash.update(chunk);
      this.#held.push(chunk);
      this.#heldBytes += chunk.length;
      if (this.#heldBytes >= partBytes) await this.#flush();
      yield chunk;
    }
    if (this.#heldBytes > 0) await this.#flush();
    this.#isRead = true;
  }

  finish(): LargeObject {
    if (!this.#isRead) throw new RangeError(`${this.#folder} was not read to its end`);
    const sha256 = this.#hash.digest('hex');
    return { folder: this.#folder, parts: this.parts.length, bytes: this.#bytes, sha256 };
  }

  async #flush(): Promise<void> {
    const key = partKey(this.#folder, this.parts.length);
    const stored = await this.#store.records.storeBytes(key, Buffer.concat(this.#held));
    if (stored !== null) this.parts.push(stored);
    this.#bytes += this.#heldBytes;
    this.#held = [];
    this.#heldBytes = 0;
  }
}

async function readAll(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of bytes);
}

export function partKey(folder: string, part: number): string {
  return `${folder}/${String(part).padStart(5, '0')}`;
}
