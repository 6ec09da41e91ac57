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

/** How polling ends. */
export type PollEnd<T> =
  | { kind: 'settled'; value: T }
  /** `value`: the last read. `isLockedOut`: our token was refused until then. */
  | { kind: 'expired'; value: T | null; isLockedOut: boolean }
  | Refused;

/**
 * Polls until the resource has settled, one activity for each change of its status (decision record
 * 021). The activity's timeout is a backstop: its failure, in either shape, is `expired` too.
 *
 * @param read the activity; its scheduleToCloseTimeout ends a minute after the deadline
 * @throws CancelledFailure; permanent failures of the activity
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
      // Temporal does not retry an attempt that fails after cancellation, even before the deadline.
      if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled');
      return { kind: 'expired', value: null };
    });
    if (polled.kind === 'expired') {
      const isLockedOut = polled.value === null && seen === waitingForCredentials;
      return { kind: 'expired', value: polled.value ?? last, isLockedOut };
    }
    // The activity saw the stop mark in the store before the signal came: the same cancellation.
    if (polled.kind === 'stopped') throw new CancelledFailure('its job is cancelled');
    if (polled.kind !== 'changed') return polled;
    seen = polled.status;
    last = polled.value ?? last;
    onChange(polled.status, polled.value);
  }
}

/** Timed out, or its next retry would come after the deadline. */
function isBackstop(error: unknown): boolean {
  if (!(error instanceof ActivityFailure)) return false;
  const { cause } = error;
  if (cause instanceof TimeoutFailure) return true;
  return cause instanceof ApplicationFailure && cause.nonRetryable !== true;
}
