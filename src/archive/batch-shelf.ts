import { getJson, type Archive } from './archive';

/** Where batches of one kind stand, and how the ids of their works are parted. */
export interface ShelfPlaces {
  /** Folder of all of them, with its slash. */
  root: string;
  /** Folder of the parts, within that of a batch. */
  parts: string;
  perPart: number;
}

/** Batches of works on file: what was asked for, the ids of the works in parts, and the end. */
export class BatchShelf<R extends { createdAt: string }, E extends object> {
  readonly #archive: Archive;
  readonly #places: ShelfPlaces;

  constructor(archive: Archive, places: ShelfPlaces) {
    this.#archive = archive;
    this.#places = places;
  }

  record(folder: string): Promise<R | null> {
    return getJson<R>(this.#archive, `${folder}/asked.json`);
  }

  /** Durable, the record last: a batch is there when all of it is. One of no works has a part too. */
  async putWorks(folder: string, record: R, workIds: readonly string[]): Promise<void> {
    const { perPart } = this.#places;
    const parts = Math.max(1, Math.ceil(workIds.length / perPart));
    for (let part = 0; part < parts; part += 1) {
      const ids = workIds.slice(part * perPart, (part + 1) * perPart);
      await this.putObject(this.#partKey(folder, part), ids);
    }
    await this.putObject(`${folder}/asked.json`, record);
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
    await this.putObject(`${folder}/ended.json`, end);
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

  protected async putObject(key: string, content: unknown): Promise<void> {
    await this.#archive.putIfAbsent(key, JSON.stringify(content, null, 2));
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
