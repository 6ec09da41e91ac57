import type { JobEnding, JobStart } from '../../domain/job';
import type { Store } from '../store';
import { lastAsked, newestFirst, type Asked } from './asked';
import type { RecordRepository } from '../records';

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
  protected readonly records: RecordRepository;
  readonly #places: ShelfPlaces<R, E>;

  constructor({ records }: Store, places: ShelfPlaces<R, E>) {
    this.records = records;
    this.#places = places;
  }

  record(folder: string): Promise<R | null> {
    return this.records.getJson<R>(`${folder}/asked.json`);
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
      await this.records.putJson(this.#partKey(folder, part), ids);
    }
    const starts = { ...this.#places.start(record), createdAt: record.createdAt, label };
    await this.records.putJson(`${folder}/asked.json`, record, { starts });
  }

  /** Ids of the works of one part, from 0; null when there is none. */
  part(folder: string, part: number): Promise<string[] | null> {
    return this.records.getJson<string[]>(this.#partKey(folder, part));
  }

  /** Null before the end. */
  end(folder: string): Promise<E | null> {
    return this.records.getJson<E>(`${folder}/ended.json`);
  }

  /** The first end filed stays. */
  async putEnd(folder: string, end: E): Promise<void> {
    const record = await this.record(folder);
    const ends = record && this.#places.end(record, end);
    await this.records.putJson(`${folder}/ended.json`, end, ends === null ? {} : { ends });
  }

  /** The last time that the same was asked for, as `<root><below>/`; null when it never was. */
  newest(below: string): Promise<Asked<R> | null> {
    return lastAsked(this.records, `${this.#places.root}${below}/`);
  }

  /** Every batch of the store, newest first. */
  all(): Promise<Asked<R>[]> {
    return newestFirst(this.records, this.#places.root);
  }

  #partKey(folder: string, part: number): string {
    return `${folder}/${this.#places.parts}/${String(part).padStart(5, '0')}.json`;
  }
}
