import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionError, ContractError, StatusError, isHttpError } from '../../apis/http/errors';
import { answerTooLarge } from '../../apis/http/exchange';
import { TokenUnavailableError } from '../../apis/http/token';
import { backoffMs } from '../../domain/core/poll-timing';
import type { Fault } from '../../domain/monitors/sweep';

/** Calls about monitors may go again: reads, and acknowledgements, which stay what they are. */

const mostTries = 4;

/**
 * Tries again what passes: no answer, half of one, 429 and 5xx. The limiter waits as told meanwhile.
 * A refused token gets one more try, which reads its file again: it may just have been replaced, and
 * a pass over thousands of monitors would end for that.
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
  let wasRefused = false;
  for (let tried = 1; ; tried += 1) {
    try {
      return await call();
    } catch (error) {
      const isRefused = isAboutToken(error);
      const mayPass = isRefused ? !wasRefused : isPassing(error);
      if (signal.aborted || tried >= tries || !mayPass) throw error;
      wasRefused ||= isRefused;
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

function isAboutToken(error: unknown): boolean {
  if (error instanceof TokenUnavailableError) return true;
  return error instanceof StatusError && error.meansCredentials;
}

/** What may be otherwise a moment later. */
export function isPassing(error: unknown): boolean {
  // Answered with 2xx: the same call is answered the same, and an acknowledgement was accepted.
  if (!isHttpError(error) || error instanceof ContractError || isTooLarge(error)) return false;
  if (!(error instanceof StatusError)) return true;
  if (error.meansCredentials) return false;
  return error.status >= 500 || error.status === 429 || error.status === 408;
}

/**
 * The service may have done what it was asked, whatever it answered.
 *
 * @param wasNotProcessed `Service.wasNotProcessed`
 */
export function mayHaveBeenDone(
  error: unknown,
  wasNotProcessed: (error: StatusError) => boolean,
): boolean {
  if (!(error instanceof StatusError))
    return isHttpError(error) && 'sent' in error && error.sent === 'maybe';
  return (error.status >= 500 || error.status === 408) && !wasNotProcessed(error);
}

/** More was answered than the call takes: so it is when it is sent again. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ConnectionError && error.safeCause.code === answerTooLarge;
}

/** The call was accepted, and what it answered cannot be read. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof ContractError;
}
