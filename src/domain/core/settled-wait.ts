/** What workflow and activity hand each other about a wait for one resource (decision record 021). */

export interface WaitOrder {
  /** Epoch milliseconds. What has not settled by then is read once more, and is `expired`. */
  deadlineAt: number;
  /** Epoch milliseconds since which it is waited for: the older, the rarer it is read. */
  since: number;
  /**
   * What the workflow has seen last: another state than this is told at once. Null: it has seen
   * none, and the first one is told.
   */
  seen: string | null;
}

export type Waited<T> =
  | { kind: 'settled'; value: T }
  /** `value` is null when the change is that it can no longer be read: `waiting: credentials`. */
  | { kind: 'changed'; visible: string; value: T | null }
  /** With what the last read found; null when it found nothing. */
  | { kind: 'expired'; value: T | null }
  /** The service refuses the read for good. */
  | { kind: 'refused'; status: number; code: string | null; message: string };

/** The state in which the credentials are refused: nobody's item is at fault. */
export const waitingForCredentials = 'waiting: credentials';
