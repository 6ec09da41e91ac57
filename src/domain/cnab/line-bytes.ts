import { byteAt } from './bytes';

const nul = 0x00;
const endMark = 0x1a;
const blank = 0x20;

/** Where the line ends without the NUL and 0x1A bytes that some programs leave at the end. */
export function withoutFiller(bytes: Uint8Array, from: number, to: number): number {
  let stop = to;
  while (stop > from && isFiller(byteAt(bytes, stop - 1))) stop -= 1;
  return stop;
}

function isFiller(byte: number): boolean {
  return byte === nul || byte === endMark;
}

export function isNul(byte: number): boolean {
  return byte === nul;
}

export function isControl(byte: number): boolean {
  return byte < blank;
}

export function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (byteAt(bytes, at) !== blank) return false;
  return true;
}
