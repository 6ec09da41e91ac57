import { setTimeout as sleep } from 'node:timers/promises';
import { ContractError, StatusError, isHttpError } from '../apis/http/errors';
import { TokenUnavailableError } from '../apis/http/token';
import { backoffMs } from '../domain/poll-timing';
import type { Fault } from '../domain/monitors/sweep';

/** Calls about monitors may go again: reads, and acknowledgements, which stay what they are. */

const mostTries = 4;

/**
 * Tries again what passes: no answer, half of one, 429 and 5xx. The limiter waits as told meanwhile.
 *
 * @throws what the last try threw
 */
export async function patiently<T>(
  call: () => Promise<T>,
  {
    random,
    signal,
    tries = mostTries,
  }: { random: () => number; signal: AbortSignal; tries?: number },
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await call();
    } catch (error) {
      if (signal.aborted || tried >= tries || !isPassing(error)) throw error;
    }
    await sleep(backoffMs(tried, random(), { baseMs: 200, maxMs: 5_000 }), undefined, { signal });
  }
}

/** Null: no fault of the service's, to be thrown. */
export function faultOf(error: unknown): Fault | null {
  if (error instanceof TokenUnavailableError) {
    return { fault: 'credentials', message: error.message };
  }
  if (!isHttpError(error)) return null;
  return { fault: faultWord(error), message: error.message };
}

function faultWord(error: unknown): Fault['fault'] {
  if (isPassing(error)) return 'unavailable';
  if (!(error instanceof StatusError)) return 'refused';
  if (error.meansCredentials) return 'credentials';
  return error.status === 404 || error.status === 410 ? 'no monitor' : 'refused';
}

function isPassing(error: unknown): boolean {
  if (!isHttpError(error)) return false;
  if (!(error instanceof StatusError)) return true;
  if (error.meansCredentials) return false;
  return error.status >= 500 || error.status === 429 || error.status === 408;
}

/** The call was accepted, and what it answered cannot be read. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof ContractError;
}
