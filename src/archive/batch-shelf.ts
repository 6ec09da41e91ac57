import type { JobEnding, JobStart } from '../domain/job';
import { getJson, type Archive, type PutOptions } from './archive';

/** Where batches of one kind stand, how the ids of their works are parted, and which jobs they are. */
export interface ShelfPlaces<R, E> {
  /** Folder of all of them, with its slash. */
  root: string;
  /** Folder of the parts, within that of a batch. */
  parts: string;
  perPart: number;
  start: (record: R) => Pick<JobStart, 'id' | 'kind'>;
  end: (record: R, end: E) => JobEnding;
}

/** Batches of works on file: what was asked for, the ids of the works in parts, and the end. */
export class BatchShelf<R extends { createdAt: string }, E extends object> {
  readonly #archive: Archive;
  readonly #places: ShelfPlaces<R, E>;

  constructor(archive: Archive, places: ShelfPlaces<R, E>) {
    this.#archive = archive;
    this.#places = places;
  }

  record(folder: string): Promise<R | null> {
    return getJson<R>(this.#archive, `${folder}/asked.json`);
  }

  /**
   * Durable, the record last: a batch is there when all of it is. One of no works has a part too.
   *
   * @param label keyed name of its label
   */
  async putWorks(
    folder: string,
    record: R,
    workIds: readonly string[],
    label: string | null = null,
  ): Promise<void> {
    const { perPart } = this.#places;
    const parts = Math.max(1, Math.ceil(workIds.length / perPart));
    for (let part = 0; part < parts; part += 1) {
      const ids = workIds.slice(part * perPart, (part + 1) * perPart);
      await this.putObject(this.#partKey(folder, part), ids);
    }
    const starts = { ...this.#places.start(record), createdAt: record.createdAt, label };
    await this.putObject(`${folder}/asked.json`, record, { starts });
  }

  /** Ids of the works of one part, from 0; null when there is none. */
  part(folder: string, part: number): Promise<string[] | null> {
    return getJson<string[]>(this.#archive, this.#partKey(folder, part));
  }

  /** Null before the end. */
  end(folder: string): Promise<E | null> {
    return getJson<E>(this.#archive, `${folder}/ended.json`);
  }

  /** The first end filed stays. */
  async putEnd(folder: string, end: E): Promise<void> {
    const record = await this.record(folder);
    const ends = record && this.#places.end(record, end);
    await this.putObject(`${folder}/ended.json`, end, ends === null ? {} : { ends });
  }

  /** The last time that the same was asked for, as `<root><below>/`; null when it never was. */
  async newest(below: string): Promise<{ folder: string; record: R } | null> {
    return (await this.#under(`${this.#places.root}${below}/`)).at(-1) ?? null;
  }

  /** Every batch of the archive, newest first. */
  async all(): Promise<{ folder: string; record: R }[]> {
    const found = await this.#under(this.#places.root);
    return found.sort((a, b) => b.record.createdAt.localeCompare(a.record.createdAt));
  }

  protected async putObject(key: string, content: unknown, options?: PutOptions): Promise<void> {
    await this.#archive.putIfAbsent(key, JSON.stringify(content, null, 2), options);
  }

  async #under(prefix: string): Promise<{ folder: string; record: R }[]> {
    const found: { folder: string; record: R }[] = [];
    for (const key of await this.#archive.list(prefix)) {
      if (!key.endsWith('/asked.json')) continue;
      const folder = key.slice(0, -'/asked.json'.length);
      const record = await this.record(folder);
      if (record !== null) found.push({ folder, record });
    }
    return found;
  }

  #partKey(folder: string, part: number): string {
    return `${folder}/${this.#places.parts}/${String(part).padStart(5, '0')}.json`;
  }
}
