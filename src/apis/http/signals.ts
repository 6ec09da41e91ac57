import { setMaxListeners } from 'node:events';

/** Runs `stop` when the signal fires, or now if it has. @returns removes the listener: the signal may live for days */
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
 * Runs under a signal that fires with the first of several. `AbortSignal.any` leaks memory on a signal that lives as
 * long as the worker.
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
