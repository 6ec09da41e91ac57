import { CreditBatchRepository } from '../../store/credit/credit-batches';
import { createBatchActivities } from '../core/batches';
import type { CreditDependencies } from '../dependencies';

/** What a batch of analyses asks of the store. */
export function createCreditBatchActivities(deps: CreditDependencies) {
  return createBatchActivities(deps, new CreditBatchRepository(deps.store));
}
