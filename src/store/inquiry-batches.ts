import {
  inquiriesPerPart,
  type InquiryBatchEnd,
  type InquiryBatchRecord,
  type InquiryWork,
} from '../domain/core/inquiry-batch';
import { batchEnd } from '../domain/job-ends';
import { profileFolder } from '../domain/profiles/lookup';
import { traceFolder } from '../domain/traces/search';
import { toJsonLines } from './records';
import type { Store } from './store';
import { BatchShelf } from './core/batch-shelf';

/** Batches of searches and lookups on file: beside the rest, the work of each item. */
export class InquiryBatchShelf extends BatchShelf<InquiryBatchRecord, InquiryBatchEnd> {
  constructor(store: Store) {
    super(store, {
      root: 'inquiries/',
      parts: 'parts',
      perPart: inquiriesPerPart,
      start: ({ batchId: id, kind }) => ({ id, kind }),
      end: ({ counts, endedAt }, { kind, linesAtFault }) => ({
        endedAt,
        ...batchEnd(kind, counts, linesAtFault),
      }),
    });
  }

  /** In the order of the items. Before the record, which makes the batch be there. */
  async putItemWorks(folder: string, works: readonly InquiryWork[]): Promise<void> {
    await this.store.subjects.add(
      folder,
      works.map(({ workId }) => workId),
    );
    await this.store.records.putIfAbsent(`${folder}/item-works.jsonl`, toJsonLines(works));
  }

  async itemWorks(folder: string): Promise<InquiryWork[]> {
    return (await this.store.records.getJsonLines<InquiryWork>(`${folder}/item-works.jsonl`)) ?? [];
  }
}

export function inquiryFolder(workId: string): string {
  return workId.startsWith('trace/') ? traceFolder(workId) : profileFolder(workId);
}

/** How a search or a lookup ended; null before its end. */
export async function inquiryStatus(store: Store, workId: string): Promise<string | null> {
  const outcome = await store.jobs.outcome<{ status: string }>(inquiryFolder(workId));
  return outcome?.status ?? null;
}
