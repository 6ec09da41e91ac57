import { createHash, randomUUID } from 'node:crypto';
import type { Store } from '../store';

/** `<key>.json`: where the parts of a large object stand. Written last: with it the object is there. */
export interface LargeObject {
  /** Of one attempt to write it: `<key>/<uuid>`. */
  folder: string;
  parts: number;
  bytes: number;
  /** Hex, of the whole. */
  sha256: string;
}

/** Neither their sealing nor an object store needs more of an object than this at once. */
const partBytes = 1024 * 1024;

/** Its parts were removed while it was written: the work that it was written for has ended. */
export class PartsRemovedError extends Error {
  override readonly name = 'PartsRemovedError';
}

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
 * Files bytes as they come, in parts. The first object that is complete stays; once there is one,
 * nothing stays of other attempts, also of those that were killed. What fails leaves nothing.
 *
 * @throws OtherBytesError, PartsRemovedError
 */
export async function putLarge(
  store: Store,
  key: string,
  body: AsyncIterable<Uint8Array>,
  options: PutLargeOptions = {},
): Promise<LargeObject> {
  const object = await fileAttempt(store, key, body, options);
  try {
    await putManifest(store, key, object);
  } catch (error) {
    await store.records.removeAll(`${object.folder}/`);
    throw error;
  }
  return (await clearAttempts(store, key)) ?? object;
}

/**
 * The parts alone, beside those of the object if there is one: `<key>.json` is the caller's to write.
 *
 * @throws OtherBytesError
 */
async function fileAttempt(
  store: Store,
  key: string,
  body: AsyncIterable<Uint8Array>,
  { sha256, check = readAll }: PutLargeOptions = {},
): Promise<LargeObject> {
  const writing = new Writing(store, `${key}/${randomUUID()}`);
  try {
    await check(writing.filed(body));
    const object = writing.finish();
    if (sha256 === undefined || object.sha256 === sha256) return object;
    throw new OtherBytesError(`the bytes of ${key} add up to another sum`);
  } catch (error) {
    await store.records.removeAll(`${writing.folder}/`);
    throw error;
  }
}

/**
 * Removes what attempts to write an object left that were cut short. Without an object, to be called
 * when nobody is to write it any more: who does all the same is told so at its end.
 *
 * @returns the object, if there is one
 */
export async function clearAttempts(store: Store, key: string): Promise<LargeObject | null> {
  const object = await findLarge(store, key);
  await store.records.removeAll(`${key}/`, object?.folder);
  if (object !== null) return object;
  // One may have come while its parts were removed.
  const late = await findLarge(store, key);
  if (late === null || (await isWhole(store, late))) return late;
  await store.records.remove(`${key}.json`);
  return null;
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
  readonly folder: string;
  readonly #store: Store;
  readonly #hash = createHash('sha256');
  #parts = 0;
  #bytes = 0;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #object: LargeObject | null = null;

  constructor(store: Store, folder: string) {
    this.#store = store;
    this.folder = folder;
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
    await this.#flush();
    const [parts, bytes] = [this.#parts, this.#bytes];
    this.#object = { folder: this.folder, parts, bytes, sha256: this.#hash.digest('hex') };
  }

  finish(): LargeObject {
    if (this.#object === null) throw new RangeError(`${this.folder} was not read to its end`);
    return this.#object;
  }

  async #flush(): Promise<void> {
    if (this.#heldBytes === 0) return;
    const part = Buffer.concat(this.#held);
    await this.#store.records.putIfAbsent(partKey(this.folder, this.#parts), part, { bytes: true });
    this.#parts += 1;
    this.#bytes += this.#heldBytes;
    this.#held = [];
    this.#heldBytes = 0;
  }
}

/** Unless there is one already. */
async function putManifest(store: Store, key: string, object: LargeObject): Promise<void> {
  const manifest = `${key}.json`;
  const put = await store.records.putJson(manifest, object);
  if (put === 'exists' || (await isWhole(store, object))) return;
  // Somebody held this attempt for dead.
  if ((await findLarge(store, key))?.folder === object.folder) await store.records.remove(manifest);
  throw new PartsRemovedError(`parts of ${key} were removed while it was written`);
}

async function isWhole(store: Store, { folder, parts }: LargeObject): Promise<boolean> {
  return (await store.records.list(`${folder}/`)).length === parts;
}

/** Bytes as the parts of an object. */
export function sliced(bytes: Buffer): Buffer[] {
  const parts = Math.ceil(bytes.length / partBytes);
  return Array.from({ length: parts }, (_, part) =>
    bytes.subarray(part * partBytes, (part + 1) * partBytes),
  );
}

async function readAll(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of bytes);
}

export function partKey(folder: string, part: number): string {
  return `${folder}/${String(part).padStart(5, '0')}`;
}
