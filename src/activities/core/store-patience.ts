import { StoreError, type StoreErrorCode } from '../../store/store-error';
import { pauseOnTheClock, type Pause } from './pause';

/** Between two tries: a disk has room again, or a folder is back, when somebody has seen to it. */
const pauseMs = 500;
/** Then what is in hand goes to the workflow, which keeps it as well. */
const usualMs = 20_000;

/** What the store says when it is well. */
const answers: ReadonlySet<StoreErrorCode> = new Set(['constraint', 'corrupt', 'unchanged']);

/** Refused for a reason that passes: the disk is full, read-only or away. */
export function isStoreAway(error: unknown): error is StoreError {
  return error instanceof StoreError && !answers.has(error.code);
}

export interface Patience {
  now: () => number;
  /** True as long as this attempt lives. */
  mayWait: () => boolean;
  pause?: Pause;
  /** How long it is tried, in milliseconds. */
  forMs?: number;
}

/**
 * Writes what is in our hands and nowhere else: an accepted id, a receipt. While the store does not take
 * it, it is tried again, for 20 s by default.
 *
 * @throws what the store throws, once there is no time left
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
