import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  TimeoutFailure,
  isCancellation,
} from '@temporalio/workflow';
import { ApplicationFailure } from '@temporalio/common';
import type { WaitOrder, Waited } from '../../domain/core/settled-wait';

/** How a wait ends: a change is told on the way. */
export type WaitEnd<T> = Exclude<Waited<T>, { kind: 'changed' }>;

/**
 * Waits until the resource has settled, one activity for each change that a person would want to
 * see (decision record 021). The time-out of the activity is a backstop: its failure, in either shape, is
 * `expired` too (decision record 021).
 *
 * @param read the activity; its scheduleToCloseTimeout ends a minute after the deadline
 * @throws CancelledFailure; what the activity gave up on for good
 */
export async function waitOn<T>(
  read: (order: WaitOrder) => Promise<Waited<T>>,
  order: WaitOrder,
  onChange: (visible: string, value: T | null) => void,
): Promise<WaitEnd<T>> {
  let { seen } = order;
  let last: T | null = null;
  for (;;) {
    const waited = await read({ ...order, seen }).catch((error: unknown): Waited<T> => {
      if (isCancellation(error) || !isBackstop(error)) throw error;
      // An attempt that fails after a cancel has reached it is not tried again: time is left.
      if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled');
      return { kind: 'expired', value: null };
    });
    if (waited.kind === 'expired') return { kind: 'expired', value: waited.value ?? last };
    if (waited.kind !== 'changed') return waited;
    seen = waited.visible;
    last = waited.value ?? last;
    onChange(waited.visible, waited.value);
  }
}

/** Out of time, or with a retry that would come after it. */
function isBackstop(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const { cause } = error;
  if (cause instanceof TimeoutFailure) return true;
  return cause instanceof ApplicationFailure && cause.nonRetryable !== true;
}
