import { onAbort } from '../../apis/http/signals';

/** Fulfilled after the time, or as soon as the signal fires. */
export type Pause = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Maximum of Node's timers. */
export const longestTimerMs = 2 ** 31 - 1;

export function pauseOnTheClock(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal?.aborted === true) return done();
    const wake = (): void => {
      clearTimeout(timer);
      letGo();
      done();
    };
    const timer = setTimeout(wake, Math.min(ms, longestTimerMs));
    const letGo = onAbort(signal, wake);
  });
}
