/**
 * Chance without state: the same seed and the same words always draw the same number, so a run can
 * be repeated whatever order its requests arrive in.
 */

import { createHash } from 'node:crypto';

/** A number in [0, 1) that depends on its arguments only. */
export function draw(...words: readonly (string | number)[]): number {
  const text = words.join('|');
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  // FNV alone leaves neighbouring texts close together; murmur's last step spreads them.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** One of the choices, all equally likely. */
export function pick<T>(choices: readonly [T, ...T[]], ...words: readonly (string | number)[]): T {
  return choices[Math.floor(draw(...words) * choices.length)] ?? choices[0];
}

export type Distribution = 'uniform' | 'lognormal';

/**
 * A whole number of milliseconds within the range. `lognormal` puts the median at the geometric
 * middle of the range and cuts both tails at its ends: many short, a few long.
 */
export function drawDuration(
  [shortest, longest]: readonly [number, number],
  distribution: Distribution,
  ...words: readonly (string | number)[]
): number {
  if (longest <= shortest) return shortest;
  if (distribution === 'uniform') {
    return Math.round(shortest + (longest - shortest) * draw(...words));
  }
  const low = Math.log(Math.max(shortest, 1));
  const high = Math.log(Math.max(longest, 1));
  const radius = Math.sqrt(-2 * Math.log(1 - draw(...words, 'radius')));
  const normal = radius * Math.cos(2 * Math.PI * draw(...words, 'angle'));
  // Four standard deviations across the range: one draw in twenty is cut.
  const duration = Math.exp((low + high) / 2 + (normal * (high - low)) / 4);
  return Math.round(Math.min(longest, Math.max(shortest, duration)));
}

/** A UUIDv4 in shape, the same for the same words. */
export function seededUuid(words: string): string {
  const hex = createHash('sha256').update(words).digest('hex');
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
