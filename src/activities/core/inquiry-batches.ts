import type { Store } from '../../store/store';
import { inquiryStatus, InquiryBatchShelf } from '../../store/inquiry-batches';
import { createWorksOnFile } from './works-on-file';

/** What a batch of searches or lookups asks of the store. */
export function createInquiryBatchActivities(deps: { store: Store; now: () => number }) {
  const { store, now } = deps;
  return createWorksOnFile({
    now,
    shelf: new InquiryBatchShelf(store),
    statusOf: (workId) => inquiryStatus(store, workId),
  });
}
