import { LookupBatchRepository } from '../../store/inquiry-batches';
import type { Store } from '../../store/store';
import { createBatchActivities } from './batches';

/** What a batch of searches or lookups asks of the store. */
export function createInquiryBatchActivities(deps: { store: Store; now: () => number }) {
  return createBatchActivities(deps, new LookupBatchRepository(deps.store));
}
