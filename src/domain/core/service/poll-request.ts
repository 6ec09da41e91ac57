/** Messages between workflow and activity about polling one resource (decision record 021). */

export interface PollRequest {
  /** Epoch milliseconds. What has not settled by then is read once more, and `expired`. */
  deadlineAt: number;
  /** Epoch milliseconds since which it is polled: the older, the longer the interval. */
  since: number;
  /** The status that the workflow knows: any other is reported at once. Null: none. */
  seen: string | null;
}

export type Polled<T> =
  | { kind: 'settled'; value: T }
  /** `value` is null when it can no longer be read: `waiting: credentials`. */
  | { kind: 'changed'; status: string; value: T | null }
  /** `value`: the last read; null: none succeeded. */
  | { kind: 'expired'; value: T | null }
  /** Its job is cancelled: nothing more is sent. */
  | { kind: 'stopped' }
  | Refused;

export interface Refused {
  kind: 'refused';
  /** HTTP status; 200: an unreadable response. */
  status: number;
  code: string | null;
  message: string;
}

/** Status while the credentials are refused: not an error of the resource. */
export const waitingForCredentials = 'waiting: credentials';
