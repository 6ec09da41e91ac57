import type { Archive } from '../archive/archive';
import { inquiryStatus, InquiryBatchShelf } from '../archive/inquiry-batches';
import { createWorksOnFile } from './works-on-file';

/** What a batch of searches or lookups asks of the archive. */
export function createInquiryBatchActivities(deps: { archive: Archive; now: () => number }) {
  const { archive, now } = deps;
  return createWorksOnFile({
    now,
    shelf: new InquiryBatchShelf(archive),
    statusOf: (workId) => inquiryStatus(archive, workId),
  });
}
