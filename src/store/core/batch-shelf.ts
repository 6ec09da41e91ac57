import type { Store } from '../store';
import { JobsOfKind, type JobShape } from './jobs-of-kind';

/** What tells batches of one kind from others, and how the ids of their works are parted. */
export interface BatchShape<I, O> extends JobShape<I, O> {
  /** Folder of the parts, within that of a batch. */
  parts: string;
  perPart: number;
}

/** Batches of works: beside what was asked for and the end, the ids of the works in parts. */
export class BatchShelf<I extends { createdAt: string }, O extends object> extends JobsOfKind<
  I,
  O
> {
  readonly #shape: BatchShape<I, O>;

  constructor(store: Store, shape: BatchShape<I, O>) {
    super(store, shape);
    this.#shape = shape;
  }

  /**
   * Durable, the record last: a batch is there when all of it is. One of no works has a part too.
   *
   * @param label keyed name of its label
   */
  async putWorks(
    folder: string,
    record: I,
    workIds: readonly string[],
    label: string | null = null,
  ): Promise<void> {
    const { perPart } = this.#shape;
    const parts = Math.max(1, Math.ceil(workIds.length / perPart));
    for (let part = 0; part < parts; part += 1) {
      const ids = workIds.slice(part * perPart, (part + 1) * perPart);
      await this.store.records.putJson(this.#partKey(folder, part), ids);
    }
    await this.putRecord(folder, record, label);
  }

  /** Ids of the works of one part, from 0; null when there is none. */
  part(folder: string, part: number): Promise<string[] | null> {
    return this.store.records.getJson<string[]>(this.#partKey(folder, part));
  }

  #partKey(folder: string, part: number): string {
    return `${folder}/${this.#shape.parts}/${String(part).padStart(5, '0')}.json`;
  }
}
