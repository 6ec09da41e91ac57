import { ApplicationFailure } from '@temporalio/common';
import { orderAnswer } from '../../domain/order-answers';
import type { CancelOrder } from '../messages';

/**
 * Validates a cancellation: a second one is taken when it asks for more than the one before.
 *
 * @throws ApplicationFailure otherwise
 */
export function refuseRepeated(before: CancelOrder | null, { now, remote }: CancelOrder): void {
  if (before === null || (now && !before.now) || (remote === true && before.remote !== true))
    return;
  throw ApplicationFailure.nonRetryable(orderAnswer('is_cancelled'), 'TooLate');
}

/** Of two cancellations all that they ask for. */
export function bothOrders(before: CancelOrder | null, order: CancelOrder): CancelOrder {
  if (before === null) return order;
  const remote = before.remote === true || order.remote === true;
  return { now: before.now || order.now, ...(remote && { remote }) };
}
