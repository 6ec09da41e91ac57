import type { Archive, PutResult } from '../../src/archive/archive';
import { TemporaryArchive } from './temporary-archive';

const places: TemporaryArchive[] = [];
afterAll(() => places.splice(0).forEach((place) => place.remove()));

/** An archive without a disk: for tests that fill one again and again. */
export class MemoryArchive implements Archive {
  readonly id = 'a1b2c3d4-archive-in-memory';
  readonly #bodies = new Map<string, Buffer>();

  #place: TemporaryArchive | undefined;

  /** Tables stand on a disk all the same. */
  get store() {
    return this.#tables().store;
  }

  get attempts() {
    return this.#tables().attempts;
  }

  get outcomes() {
    return this.#tables().outcomes;
  }

  get rows() {
    return this.#tables().rows;
  }

  get subjects() {
    return this.#tables().subjects;
  }

  get jobs() {
    return this.#tables().jobs;
  }

  #tables() {
    if (this.#place === undefined) places.push((this.#place = new TemporaryArchive()));
    return this.#place.archive;
  }

  async putIfAbsent(key: string, body: Uint8Array | string): Promise<PutResult> {
    if (this.#bodies.has(key)) return 'exists';
    this.#bodies.set(key, Buffer.from(body as string));
    return 'stored';
  }

  async storeBytes(key: string, body: Uint8Array | string): Promise<null> {
    await this.putIfAbsent(key, body);
    return null;
  }

  async replace(key: string, body: Uint8Array | string): Promise<void> {
    this.#bodies.set(key, Buffer.from(body as string));
  }

  async remove(key: string): Promise<void> {
    this.#bodies.delete(key);
  }

  async removeAll(prefix: string, keep?: string): Promise<void> {
    for (const key of await this.list(prefix)) {
      if (keep === undefined || !key.startsWith(`${keep}/`)) this.#bodies.delete(key);
    }
  }

  async get(key: string): Promise<Buffer | null> {
    return this.#bodies.get(key) ?? null;
  }

  async list(prefix: string): Promise<string[]> {
    return [...this.#bodies.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  async forget(): Promise<void> {}

  async removeOrphans(): Promise<number> {
    return 0;
  }

  prove(): never {
    throw new Error('there is nothing to prove');
  }
}
