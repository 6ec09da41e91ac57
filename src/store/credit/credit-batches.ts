import {
  batchPartSize,
  type CreditBatchEnd,
  type CreditBatchFile,
  type CreditBatchRecord,
} from '../../domain/credit/batch';
import { batchEnd } from '../../domain/job-ends';
import type { Store } from '../store';
import { BatchShelf } from '../core/batch-shelf';

/** Batches of analyses on file: beside the rest, which files they are of. */
export class CreditBatchShelf extends BatchShelf<CreditBatchRecord, CreditBatchEnd> {
  constructor(store: Store) {
    super(store, {
      root: 'credit-batches/',
      parts: 'analyses',
      perPart: batchPartSize,
      start: ({ batchId: id }) => ({ id, kind: 'credit-batch' }),
      end: ({ counts, endedAt }, { notSent }) => ({
        endedAt,
        ...batchEnd('credit-batch', counts, notSent),
      }),
    });
  }

  async put(
    folder: string,
    record: CreditBatchRecord,
    files: readonly CreditBatchFile[],
    analyses: readonly string[],
  ): Promise<void> {
    await this.store.subjects.add(
      folder,
      files.flatMap(({ workId }) => workId ?? []),
    );
    await this.store.records.putJson(`${folder}/files.json`, files);
    await this.putWorks(folder, record, analyses);
  }

  async files(folder: string): Promise<CreditBatchFile[]> {
    return (await this.store.records.getJson<CreditBatchFile[]>(`${folder}/files.json`)) ?? [];
  }
}
