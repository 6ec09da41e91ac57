/** Fulfilled after the time, or as soon as the signal fires. */
export type Pause = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Node's timers know no longer time. */
export const longestTimerMs = 2 ** 31 - 1;

export function pauseOnTheClock(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal?.aborted) return done();
    const wake = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      done();
    };
    const timer = setTimeout(wake, Math.min(ms, longestTimerMs));
    signal?.addEventListener('abort', wake, { once: true });
  });
}
