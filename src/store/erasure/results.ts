import { jsonOfBytes } from '../../domain/core/json-text';
import { findLarge, readLarge } from '../core/large-objects';
import { resultShape } from '../credit/analysis-result.wire';
import type { Store } from '../store';
import type { ErasureDraft } from './draft';
import type { ErasureSubject } from './erasure-subject';
import { withoutSubject } from './rewriting';

/** A larger result is removed as a whole. */
const largestRewritten = 256 * 2 ** 20;

/** Both results of a credit operation, as far as they exist. */
export class CreditResults {
  readonly #store: Store;
  readonly #largest: number;

  constructor(store: Store, largest: number = largestRewritten) {
    this.#store = store;
    this.#largest = largest;
  }

  async *trees(operation: string): AsyncGenerator<unknown> {
    for (const key of await this.#results(operation)) yield this.#tree(key);
  }

  /** @returns false when it can only be removed as a whole */
  async rewrite(draft: ErasureDraft, operation: string, subject: ErasureSubject): Promise<boolean> {
    const left = (tree: unknown): Buffer =>
      Buffer.from(JSON.stringify(withoutSubject(tree, subject, resultShape)));
    for (const key of await this.#results(operation)) {
      const tree = await this.#tree(key);
      if (tree === null) return false;
      if (left(tree).equals(Buffer.from(JSON.stringify(tree)))) continue;
      // Read again at that time: only one is in memory at once.
      await draft.replaceLarge(key, async () => left(await this.#tree(key)));
    }
    return true;
  }

  async #results(operation: string): Promise<string[]> {
    const keys = await this.#store.records.list(`${operation}/`);
    const manifests = keys.filter((key) => key.endsWith('.json'));
    return manifests.map((key) => key.slice(0, -'.json'.length));
  }

  /** Null when it is too large, or unreadable. */
  async #tree(key: string): Promise<unknown> {
    const object = await findLarge(this.#store, key);
    if (object === null || object.bytes > this.#largest) return null;
    try {
      const parts: Buffer[] = [];
      for await (const part of readLarge(this.#store, key)) parts.push(part);
      return jsonOfBytes(Buffer.concat(parts));
    } catch (error) {
      if (error instanceof RangeError || error instanceof SyntaxError) return null;
      throw error;
    }
  }
}
