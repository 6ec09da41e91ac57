import { setTimeout as sleep } from 'node:timers/promises';
import { classifyFailure, isCallFailure, type CallFailure } from '../../apis/http/classify';
import { ContractError, StatusError } from '../../apis/http/errors';
import { backoffMs } from '../../domain/core/service/poll-timing';
import type { Fault } from '../../domain/monitors/sweep';

/** Calls about monitors may be repeated: reads, and idempotent acknowledgements. */

/** A quarter of a minute with its waits: at 30 % failed calls it loses one call of ten thousand. */
const mostTries = 8;
/** For unreadable responses: a proxy's error page may pass, a login page does not. */
const mostUnreadable = 3;

/**
 * Retries transient failures: no response, half of one, 429 and 5xx; fewer times for an unreadable one. The
 * limiter obeys Retry-After. A refused token is read again from its file once: it may just have been replaced,
 * and a scan of thousands of monitors would end.
 *
 * @throws the last error
 */
export async function withRetries<T>(
  call: () => Promise<T>,
  {
    random,
    signal,
    mayGoOn = () => true,
  }: { random: () => number; signal: AbortSignal; mayGoOn?: (tried: number) => boolean },
): Promise<T> {
  let wasRefused = false;
  let unreadable = 0;
  for (let tried = 1; ; tried += 1) {
    try {
      return await call();
    } catch (error) {
      const failure = isCallFailure(error) ? classifyFailure(error) : 'permanent';
      const isRefused = failure === 'credentials';
      const isUnreadable = error instanceof ContractError;
      const mayPass =
        (isRefused && !wasRefused) ||
        (isUnreadable && unreadable + 1 < mostUnreadable) ||
        failure === 'transient';
      if (signal.aborted || !mayPass || tried >= mostTries || !mayGoOn(tried)) throw error;
      wasRefused ||= isRefused;
      if (isUnreadable) unreadable += 1;
    }
    await sleep(backoffMs(tried, random(), { baseMs: 200, maxMs: 5_000 }), undefined, { signal });
  }
}

/** Null: not an error of the service; throw it. */
export function faultOf(error: unknown): Fault | null {
  if (!isCallFailure(error)) return null;
  return { fault: faultWord(error), message: error.message };
}

function faultWord(error: CallFailure): Fault['fault'] {
  const failure = classifyFailure(error);
  if (failure === 'transient') return 'unavailable';
  if (failure === 'credentials') return failure;
  return error instanceof StatusError && [404, 410].includes(error.status)
    ? 'no monitor'
    : 'refused';
}
