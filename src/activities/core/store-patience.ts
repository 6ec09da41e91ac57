import { StoreError, type StoreErrorCode } from '../../store/store-error';
import { pauseOnTheClock, type Pause } from './pause';

/** Between two tries: a full disk or missing folder needs a person to fix it. */
const pauseMs = 500;
/** After this time the workflow gets the value, and carries it too. */
const usualMs = 20_000;

/** Error codes of a healthy store. */
const answers: ReadonlySet<StoreErrorCode> = new Set(['constraint', 'corrupt', 'unchanged']);

/** A transient failure: the disk is full, read-only or missing. */
export function isStoreAway(error: unknown): error is StoreError {
  return error instanceof StoreError && !answers.has(error.code);
}

export interface Patience {
  now: () => number;
  /** True while this attempt lives. */
  mayWait: () => boolean;
  pause?: Pause;
  /** Milliseconds of retrying. */
  forMs?: number;
}

/**
 * Writes what only this process holds: an accepted id, a receipt. Retries while the store is unavailable, for
 * 20 s by default.
 *
 * @throws StoreError after that
 */
export async function withStorePatience<T>(
  write: () => Promise<T>,
  { now, mayWait, pause = pauseOnTheClock, forMs = usualMs }: Patience,
): Promise<T> {
  const until = now() + forMs;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isStoreAway(error) || !mayWait() || now() > until) throw error;
      await pause(pauseMs);
    }
  }
}
