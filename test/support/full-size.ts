/** `npm run test:full`. */
export const isFullSize = process.env['LONG_TESTS'] === 'full';

/** A long test at its full size, or at one that shows the same sooner: that of every change. */
export function sized(usual: number, full: number): number {
  return isFullSize ? full : usual;
}

/** How many cases are drawn: fewer on a database that is asked over a socket. */
export function casesOf(usual: number, full = usual): number {
  const { onPostgres } = globalThis as { onPostgres?: true };
  return onPostgres ? usual / 10 : sized(usual, full);
}
