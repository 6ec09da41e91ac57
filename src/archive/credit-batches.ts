import {
  batchPartSize,
  type CreditBatchEnd,
  type CreditBatchFile,
  type CreditBatchRecord,
} from '../domain/credit/batch';
import { getJson, type Archive } from './archive';

/** Batches of analyses on file: what was asked for, which files, which analyses, and the end. */
export class CreditBatchShelf {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  record(folder: string): Promise<CreditBatchRecord | null> {
    return getJson<CreditBatchRecord>(this.#archive, `${folder}/asked.json`);
  }

  /** Durable, the record last: a batch is there when all of it is. */
  async put(
    folder: string,
    record: CreditBatchRecord,
    files: readonly CreditBatchFile[],
    analyses: readonly string[],
  ): Promise<void> {
    for (let part = 0; part * batchPartSize < analyses.length; part += 1) {
      const ids = analyses.slice(part * batchPartSize, (part + 1) * batchPartSize);
      await this.#put(partKey(folder, part), ids);
    }
    await this.#put(`${folder}/files.json`, files);
    await this.#put(`${folder}/asked.json`, record);
  }

  async files(folder: string): Promise<CreditBatchFile[]> {
    return (await getJson<CreditBatchFile[]>(this.#archive, `${folder}/files.json`)) ?? [];
  }

  /** Ids of the analyses of one part, from 0; null when there is none. */
  part(folder: string, part: number): Promise<string[] | null> {
    return getJson<string[]>(this.#archive, partKey(folder, part));
  }

  /** Null before the end. */
  end(folder: string): Promise<CreditBatchEnd | null> {
    return getJson<CreditBatchEnd>(this.#archive, `${folder}/ended.json`);
  }

  /** The first end filed stays. */
  async putEnd(folder: string, end: CreditBatchEnd): Promise<void> {
    await this.#put(`${folder}/ended.json`, end);
  }

  /** The last time that the same files were asked for; null when they never were. */
  async newest(name: string): Promise<{ folder: string; record: CreditBatchRecord } | null> {
    return (await this.#under(`credit-batches/${name}/`)).at(-1) ?? null;
  }

  /** Every batch of the archive, newest first. */
  async all(): Promise<{ folder: string; record: CreditBatchRecord }[]> {
    const found = await this.#under('credit-batches/');
    return found.sort((a, b) => b.record.createdAt.localeCompare(a.record.createdAt));
  }

  async #under(prefix: string): Promise<{ folder: string; record: CreditBatchRecord }[]> {
    const found: { folder: string; record: CreditBatchRecord }[] = [];
    for (const key of await this.#archive.list(prefix)) {
      if (!key.endsWith('/asked.json')) continue;
      const folder = key.slice(0, -'/asked.json'.length);
      const record = await this.record(folder);
      if (record !== null) found.push({ folder, record });
    }
    return found;
  }

  async #put(key: string, content: unknown): Promise<void> {
    await this.#archive.putIfAbsent(key, JSON.stringify(content, null, 2), { durable: true });
  }
}

function partKey(folder: string, part: number): string {
  return `${folder}/analyses/${String(part).padStart(5, '0')}.json`;
}
