import { setTimeout as sleep } from 'node:timers/promises';
import { classifyFailure, isCallFailure, type CallFailure } from '../../apis/http/classify';
import { StatusError } from '../../apis/http/errors';
import { backoffMs } from '../../domain/core/poll-timing';
import type { Fault } from '../../domain/monitors/sweep';

/** Calls about monitors may go again: reads, and acknowledgements, which stay what they are. */

/** With its pauses, a quarter of a minute: a service that fails three calls of ten loses one of ten thousand. */
const mostTries = 8;

/**
 * Tries again what is transient: no answer, half of one, 429 and 5xx. The limiter waits as asked meanwhile.
 * A refused token gets one more try, which reads its file again: it may just have been replaced, and
 * a pass over thousands of monitors would end for that.
 *
 * @throws what the last try threw
 */
export async function withRetries<T>(
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
      const failure = isCallFailure(error) ? classifyFailure(error) : 'permanent';
      const isRefused = failure === 'credentials';
      const mayPass = isRefused ? !wasRefused : failure === 'transient';
      if (signal.aborted || tried >= tries || !mayPass) throw error;
      wasRefused ||= isRefused;
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
