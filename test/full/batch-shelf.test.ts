import { createInquiryBatchActivities } from '../../src/activities/core/inquiry-batches';
import { LookupBatchRepository } from '../../src/store/inquiry-batches';
import { batchPartSize, partsOfBatch } from '../../src/domain/core/batch';
import type { InquiryBatchRecord } from '../../src/domain/core/inquiry-batch';
import { newStore } from '../support/new-store';

const folder = 'inquiries/trace-batch/x/1';
const record = {
  batchId: 'trace-batch/x/1',
  kind: 'trace-batch',
  createdAt: '2026-01-05T10:00:00.000Z',
} as InquiryBatchRecord;

test.each([0, 1, batchPartSize, batchPartSize + 1])(
  'every part of a batch of %d works can be read, and none beyond',
  async (works) => {
    const store = newStore();
    const shelf = new LookupBatchRepository(store);
    const ids = Array.from({ length: works }, (_, n) => `trace/${n}/1`);
    await shelf.put(
      folder,
      record,
      ids.map((workId) => ({ workId, before: false })),
    );
    const { readBatchPart } = createInquiryBatchActivities({ store, now: () => 0 });
    const parts = partsOfBatch(works);
    const open: string[] = [];
    for (let part = 0; part < parts; part += 1) {
      open.push(...(await readBatchPart({ folder, part })).open);
    }
    expect(open).toEqual(ids);
    await expect(readBatchPart({ folder, part: parts })).rejects.toThrow(`part ${parts}`);
  },
);
