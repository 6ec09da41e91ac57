import { setMaxListeners } from 'node:events';

/**
 * Runs `stop` when the signal fires; at once when it has.
 *
 * @returns lets go of the signal, which may outlive the caller by days
 */
export function onAbort(signal: AbortSignal | undefined, stop: () => void): () => void {
  if (signal === undefined || signal.aborted) {
    if (signal !== undefined) stop();
    return () => undefined;
  }
  // Many calls may have one signal.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', stop, { once: true });
  return () => signal.removeEventListener('abort', stop);
}

/**
 * Works under a signal that fires with the first of several. `AbortSignal.any` leaves something behind
 * with a signal that lives as long as the worker, each time.
 */
export async function withEither<T>(
  signals: readonly AbortSignal[],
  work: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  const either = new AbortController();
  const letGo = signals.map((signal) => onAbort(signal, () => either.abort(signal.reason)));
  try {
    return await work(either.signal);
  } finally {
    for (const release of letGo) release();
  }
}
