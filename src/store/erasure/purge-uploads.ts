import type { Store } from '../store';
import { addTo } from './purge-draft';
import { InquiryBatchShelf } from '../traces/inquiry-batches';
import { WorkReader } from '../certificates/works';

/** Who came from an uploaded file: it stands under its sum, one for all that handed it in. */
export class UploadHolders {
  readonly #store: Store;
  #holders: Promise<Map<string, Set<string>>> | null = null;

  constructor(store: Store) {
    this.#store = store;
  }

  /** @param own folders of the works and batches that are purged */
  async hasOther(inputKey: string, own: ReadonlySet<string>): Promise<boolean> {
    this.#holders ??= this.#read();
    const holders = (await this.#holders).get(inputKey) ?? [];
    return [...holders].some((folder) => !own.has(folder));
  }

  async #read(): Promise<Map<string, Set<string>>> {
    const holders = new Map<string, Set<string>>();
    const works = new WorkReader(this.#store);
    for (const key of await this.#store.records.list('works/')) {
      if (!key.endsWith('/work.json') || key.includes('/decisions/')) continue;
      const folder = key.slice(0, -'/work.json'.length);
      const inputKey = (await works.record(folder))?.inputKey ?? null;
      if (inputKey !== null) addTo(holders, inputKey, folder);
    }
    for (const { folder, record } of await new InquiryBatchShelf(this.#store).all()) {
      if (record.inputKey !== null) addTo(holders, record.inputKey, folder);
    }
    return holders;
  }
}
