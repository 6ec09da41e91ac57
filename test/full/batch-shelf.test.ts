import { createInquiryBatchActivities } from '../../src/activities/core/inquiry-batches';
import { InquiryBatchShelf } from '../../src/store/inquiry-batches';
import { inquiriesPerPart, type InquiryBatchRecord } from '../../src/domain/core/inquiry-batch';
import { newStore } from '../support/new-store';

const folder = 'inquiries/trace-batch/x/1';
const record = {
  batchId: 'trace-batch/x/1',
  kind: 'trace-batch',
  createdAt: '2026-01-05T10:00:00.000Z',
} as InquiryBatchRecord;

test.each([0, 1, inquiriesPerPart, inquiriesPerPart + 1])(
  'every part of a batch of %d works can be read, and none beyond',
  async (works) => {
    const store = newStore();
    const shelf = new InquiryBatchShelf(store);
    const ids = Array.from({ length: works }, (_, n) => `trace/${n}/1`);
    await shelf.putWorks(folder, record, ids);
    const { readBatchPart } = createInquiryBatchActivities({ store, now: () => 0 });
    const parts = Math.max(1, Math.ceil(works / inquiriesPerPart));
    const open: string[] = [];
    for (let part = 0; part < parts; part += 1) {
      open.push(...(await readBatchPart({ folder, part })).open);
    }
    expect(open).toEqual(ids);
    await expect(readBatchPart({ folder, part: parts })).rejects.toThrow(`part ${parts}`);
  },
);
