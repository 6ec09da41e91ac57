import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  TimeoutFailure,
  isCancellation,
} from '@temporalio/workflow';
import { ApplicationFailure } from '@temporalio/common';
import {
  waitingForCredentials,
  type Polled,
  type PollRequest,
  type Refused,
} from '../../domain/core/service/poll-request';

/** How polling ends: a change is reported on the way. */
export type PollEnd<T> =
  | { kind: 'settled'; value: T }
  /** `value`: as read last. `isLockedOut`: our token was refused until then. */
  | { kind: 'expired'; value: T | null; isLockedOut: boolean }
  | Refused;

/**
 * Polls until the resource has settled, one activity for each change of its status (decision record
 * 021). The time-out of the activity is a backstop: its failure, in either shape, is `expired` too.
 *
 * @param read the activity; its scheduleToCloseTimeout ends a minute after the deadline
 * @throws CancelledFailure; what the activity gave up on for good
 */
export async function pollUntilSettled<T>(
  read: (request: PollRequest) => Promise<Polled<T>>,
  request: PollRequest,
  onChange: (status: string, value: T | null) => void,
): Promise<PollEnd<T>> {
  let { seen } = request;
  let last: T | null = null;
  for (;;) {
    const polled = await read({ ...request, seen }).catch((error: unknown): Polled<T> => {
      if (isCancellation(error) || !isBackstop(error)) throw error;
      // An attempt that fails after a cancel has reached it is not tried again: time is left.
      if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled');
      return { kind: 'expired', value: null };
    });
    if (polled.kind === 'expired') {
      const isLockedOut = polled.value === null && seen === waitingForCredentials;
      return { kind: 'expired', value: polled.value ?? last, isLockedOut };
    }
    // The mark in the store was met before the order: it is the same cancellation.
    if (polled.kind === 'stopped') throw new CancelledFailure('its job is cancelled');
    if (polled.kind !== 'changed') return polled;
    seen = polled.status;
    last = polled.value ?? last;
    onChange(polled.status, polled.value);
  }
}

/** Out of time, or with a retry that would come after it. */
function isBackstop(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const { cause } = error;
  if (cause instanceof TimeoutFailure) return true;
  return cause instanceof ApplicationFailure && cause.nonRetryable !== true;
}
