import { ApplicationFailure } from '@temporalio/common';
import { answerWords, orderAnswer, type OrderAnswer } from '../../domain/order-answers';
import type { CancelOrder } from '../messages';

/** @throws ApplicationFailure unless a second cancellation asks for more than the first */
export function refuseRepeated(before: CancelOrder | null, { now, remote }: CancelOrder): void {
  if (before === null || (now && !before.now) || (remote === true && before.remote !== true))
    return;
  refuseOrder('is_cancelled');
}

/** Combines two cancellations. */
export function bothOrders(before: CancelOrder | null, order: CancelOrder): CancelOrder {
  if (before === null) return order;
  const remote = before.remote === true || order.remote === true;
  return { now: before.now || order.now, ...(remote && { remote }) };
}

/** For validators of updates: who gave the order reads why in the details. */
export function refuseOrder(code: OrderAnswer['code']): never {
  const answer = orderAnswer(code);
  throw ApplicationFailure.nonRetryable(answerWords(answer)[0], 'OrderRefused', answer);
}
