import { ApplicationFailure } from '@temporalio/common';
import { orderAnswer } from '../../domain/order-answers';
import type { CancelOrder } from '../messages';

/** @throws ApplicationFailure unless a second cancellation asks for more than the first */
export function refuseRepeated(before: CancelOrder | null, { now, remote }: CancelOrder): void {
  if (before === null || (now && !before.now) || (remote === true && before.remote !== true))
    return;
  throw ApplicationFailure.nonRetryable(orderAnswer('is_cancelled'), 'TooLate');
}

/** Combines two cancellations. */
export function bothOrders(before: CancelOrder | null, order: CancelOrder): CancelOrder {
  if (before === null) return order;
  const remote = before.remote === true || order.remote === true;
  return { now: before.now || order.now, ...(remote && { remote }) };
}
