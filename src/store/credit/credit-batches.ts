import type { CreditBatchEnd, CreditBatchFile, CreditBatchRecord } from '../../domain/credit/batch';
import { batchEnd } from '../../domain/job-ends';
import type { Store } from '../store';
import { BatchRepository } from '../core/batches';

/** Batches of analyses, and which files they are of. */
export class CreditBatchRepository extends BatchRepository<
  CreditBatchRecord,
  CreditBatchEnd,
  CreditBatchFile
> {
  constructor(store: Store) {
    super(store, {
      root: 'credit-batches/',
      start: ({ batchId: id }) => ({ id, kind: 'credit-batch' }),
      end: ({ counts, endedAt }, { notSent }) => ({
        endedAt,
        ...batchEnd('credit-batch', counts, notSent),
      }),
    });
  }
}
