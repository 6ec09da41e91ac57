import { setTimeout as sleep } from 'node:timers/promises';
import { classifyFailure, isCallFailure, type CallFailure } from '../../apis/http/classify';
import { ContractError, StatusError } from '../../apis/http/errors';
import { backoffMs } from '../../domain/core/service/poll-timing';
import type { Fault } from '../../domain/monitors/sweep';

/** Calls about monitors may go again: reads, and acknowledgements, which stay what they are. */

/** With its pauses, a quarter of a minute: a service that fails three calls of ten loses one of ten thousand. */
const mostTries = 8;
/** Of a call whose answer cannot be read: a page of a proxy may pass, a login page does not. */
const mostUnreadable = 3;

/**
 * Tries again what is transient: no answer, half of one, 429 and 5xx; and, less often, one that cannot be
 * read. The limiter waits as asked meanwhile. A refused token gets one more try, which reads its file again: it may just have been replaced, and
 * a pass over thousands of monitors would end for that.
 *
 * @throws what the last try threw
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

/** Null: no fault of the service's, to be thrown. */
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
