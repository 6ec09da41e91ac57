/** What workflow and activity hand each other about polling one resource (decision record 021). */

export interface PollRequest {
  /** Epoch milliseconds. What has not settled by then is read once more, and is `expired`. */
  deadlineAt: number;
  /** Epoch milliseconds since which it is waited for: the older, the rarer it is read. */
  since: number;
  /**
   * The status that the workflow knows: another one is reported at once. Null: it knows none, and the
   * first one is reported.
   */
  seen: string | null;
}

export type Polled<T> =
  | { kind: 'settled'; value: T }
  /** `value` is null when the change is that it can no longer be read: `waiting: credentials`. */
  | { kind: 'changed'; status: string; value: T | null }
  /** With what the last read found; null when it found nothing. */
  | { kind: 'expired'; value: T | null }
  /** Its job is cancelled: nothing is sent any more. */
  | { kind: 'stopped' }
  | Refused;

/** The service refuses the read for good, or answers it with what cannot be read. */
export interface Refused {
  kind: 'refused';
  /** Of HTTP; 200: the answer cannot be read. */
  status: number;
  code: string | null;
  message: string;
}

/** The status in which the credentials are refused: nobody's item is at fault. */
export const waitingForCredentials = 'waiting: credentials';
