/** `npm run test:full` and `npm run test:long:full`. */
export const isFullSize = process.env['LONG_TESTS'] === 'full';

/** A test at its full size, or at one that shows the same sooner: that of every change. */
export function sized(usual: number, full: number): number {
  return isFullSize ? full : usual;
}
