import { findLarge, readLarge } from '../core/large-objects';
import { resultShape, takeReported, type ReportedOfDocument } from '../credit/analysis-result.wire';
import type { Store } from '../store';
import type { ErasureDraft } from './draft';
import type { ErasureSubject } from './erasure-subject';
import { withoutSubject } from './rewriting';

/** A larger result is not rewritten: it goes as a whole. */
const largestRewritten = 256 * 2 ** 20;

/** Both results of an operation of the credit service, whichever are there. */
export class OperationResults {
  readonly #store: Store;
  readonly #largest: number;

  constructor(store: Store, largest: number = largestRewritten) {
    this.#store = store;
    this.#largest = largest;
  }

  async reportedOf(folder: string, document: string): Promise<ReportedOfDocument> {
    const none = { names: new Set<string>(), ids: new Set<string>() };
    const reported: ReportedOfDocument = { isAssignor: false, ...none, receivables: 0 };
    for (const key of await this.#results(folder))
      takeReported(reported, document, await this.#tree(key));
    return reported;
  }

  /** @returns false when it can only go as a whole */
  async rewrite(draft: ErasureDraft, folder: string, subject: ErasureSubject): Promise<boolean> {
    const erased = async (key: string): Promise<Buffer> => {
      const tree = withoutSubject(await this.#tree(key), subject, resultShape);
      return Buffer.from(JSON.stringify(tree));
    };
    const results = await this.#results(folder);
    const changed: string[] = [];
    for (const key of results) {
      const tree = await this.#tree(key);
      if (tree === null) return false;
      if (!(await erased(key)).equals(Buffer.from(JSON.stringify(tree)))) changed.push(key);
    }
    for (const key of changed) await draft.replaceLarge(key, () => erased(key));
    // Parts of downloads that were cut short hold what the result does.
    const staying = [...results.map((key) => `${key}.json`), ...(await this.#folders(results))];
    for (const key of await this.#store.records.list(`${folder}/`))
      if (!staying.some((one) => key.startsWith(one))) await draft.remove(key);
    return true;
  }

  async #results(folder: string): Promise<string[]> {
    const keys = await this.#store.records.list(`${folder}/`);
    const manifests = keys.filter((key) => key.endsWith('.json'));
    return manifests.map((key) => key.slice(0, -'.json'.length));
  }

  /** Of the parts of each. */
  async #folders(results: readonly string[]): Promise<string[]> {
    const objects = await Promise.all(results.map((key) => findLarge(this.#store, key)));
    return objects.flatMap((object) => (object === null ? [] : [`${object.folder}/`]));
  }

  /** Null when it is too large, or cannot be read. */
  async #tree(key: string): Promise<unknown> {
    const object = await findLarge(this.#store, key);
    if (object === null || object.bytes > this.#largest) return null;
    try {
      const parts: Buffer[] = [];
      for await (const part of readLarge(this.#store, key)) parts.push(part);
      return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
    } catch (error) {
      if (error instanceof RangeError || error instanceof SyntaxError) return null;
      throw error;
    }
  }
}
