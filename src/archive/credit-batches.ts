import {
  batchPartSize,
  type CreditBatchEnd,
  type CreditBatchFile,
  type CreditBatchRecord,
} from '../domain/credit/batch';
import { creditBatchEnd } from '../domain/job';
import { getJson, type Archive } from './archive';
import { BatchShelf } from './batch-shelf';

/** Batches of analyses on file: beside the rest, which files they are of. */
export class CreditBatchShelf extends BatchShelf<CreditBatchRecord, CreditBatchEnd> {
  readonly #archive: Archive;

  constructor(archive: Archive) {
    super(archive, {
      root: 'credit-batches/',
      parts: 'analyses',
      perPart: batchPartSize,
      start: ({ batchId: id }) => ({ id, kind: 'credit-batch' }),
      end: ({ batchId: id }, { counts, endedAt }) => ({ id, endedAt, ...creditBatchEnd(counts) }),
    });
    this.#archive = archive;
  }

  async put(
    folder: string,
    record: CreditBatchRecord,
    files: readonly CreditBatchFile[],
    analyses: readonly string[],
  ): Promise<void> {
    await this.putObject(`${folder}/files.json`, files);
    await this.putWorks(folder, record, analyses);
  }

  async files(folder: string): Promise<CreditBatchFile[]> {
    return (await getJson<CreditBatchFile[]>(this.#archive, `${folder}/files.json`)) ?? [];
  }
}
