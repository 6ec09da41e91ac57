import type {
  InquiryBatchEnd,
  InquiryBatchRecord,
  InquiryWork,
} from '../domain/core/inquiry-batch';
import { batchEnd } from '../domain/job-ends';
import { profileFolder } from '../domain/profiles/lookup';
import { traceFolder } from '../domain/traces/search';
import type { Store } from './store';
import { BatchRepository } from './core/batches';

/** Batches of searches and lookups, and the work of each item. */
export class LookupBatchRepository extends BatchRepository<
  InquiryBatchRecord,
  InquiryBatchEnd,
  InquiryWork
> {
  constructor(store: Store) {
    super(store, {
      root: 'inquiries/',
      start: ({ batchId: id, kind }) => ({ id, kind }),
      end: ({ counts, endedAt }, { kind, linesAtFault }) => ({
        endedAt,
        ...batchEnd(kind, counts, linesAtFault),
      }),
    });
  }
}

export function inquiryFolder(workId: string): string {
  return workId.startsWith('trace/') ? traceFolder(workId) : profileFolder(workId);
}
