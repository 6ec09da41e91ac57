/** A token bucket that holds one second's worth of calls. */

import type { SandboxClock } from '../core/clock';
import { retryLater } from './answer';

/** @returns takes a call; throws a Refusal 429 with the seconds after which one will be let through */
export function createRateLimit(clock: SandboxClock) {
  let left = Number.POSITIVE_INFINITY;
  let filledAt = clock.now();
  return (perSecond: number | null): void => {
    if (perSecond === null) return;
    const now = clock.now();
    const filled = (Math.max(0, now - filledAt) / 1000) * perSecond;
    left = Math.min(Math.max(1, perSecond), left + filled);
    filledAt = now;
    if (left < 1) throw retryLater(Math.max(1, Math.ceil((1 - left) / perSecond)));
    left -= 1;
  };
}
