import { hostname } from 'node:os';
import type { KeyRing } from '../protection/key-ring';

/** Temporal takes no longer name for a worker (`limit.maxIDLength`). */
const longest = 255;
const mark = ' keys=';
const shownCheckDigits = 8;

/**
 * The name that a worker polls under: process, machine, and the keys that it holds, so that
 * `keys rotate` knows when all have a new one. Which keys is no secret.
 */
export function workerIdentity(keys: KeyRing | 'off'): string {
  const who = `${process.pid}@${hostname().slice(0, 60)}`;
  const marks = keys === 'off' ? ['off'] : keys.ids.map((id) => keyMark(keys, id));
  const text = (): string => `${who}${mark}${marks.join('+')}`;
  // The first and the last are those that a rotation asks for.
  while (text().length > longest && marks.length > 2) marks.splice(-2, 1);
  return text();
}

/** Tells a key from another by the same name. */
export function keyMark(ring: KeyRing, id: string): string {
  return `${id}.${ring.checkValue(id).slice(0, shownCheckDigits)}`;
}

/** The marks of the keys that a worker of this name holds; null when the name does not tell. */
export function keyMarksOf(identity: string): string[] | null {
  const at = identity.lastIndexOf(mark);
  if (at < 0) return null;
  const marks = identity.slice(at + mark.length).split('+');
  return marks.filter((word) => word !== 'off');
}
