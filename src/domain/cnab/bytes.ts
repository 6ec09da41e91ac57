import type { Columns } from './finding';

/** What lies beyond the bytes reads as 0, which is no digit, no letter and no blank. */
export function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

/** The number that these digits write; -1 when one of them is none. Exact up to 15 digits. */
export function digitsAt(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let position = at; position < at + length; position += 1) {
    const digit = byteAt(bytes, position) - 48;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** One byte is one character, as in ISO-8859-1. */
export function textAt(bytes: Uint8Array, at: number, length: number): string {
  let text = '';
  for (let position = at; position < at + length; position += 1) {
    text += String.fromCharCode(byteAt(bytes, position));
  }
  return text;
}

export function columnsAt(bytes: Uint8Array, from: number, [first, last]: Columns): string {
  return textAt(bytes, from + first - 1, last - first + 1);
}

/** In quotation marks, with `\xNN` for what cannot be shown. */
export function quoted(text: string): string {
  const shown = text.replaceAll(/[^\x20-\x7e\xa1-\xff]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(2, '0');
    return `\\x${code}`;
  });
  return `"${shown}"`;
}

const daysOfMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** A date written DDMMYY, as a number (20261231); -1 when it is none. Years from 70 on are of the last century. */
export function shortDateAt(bytes: Uint8Array, at: number): number {
  const digits = digitsAt(bytes, at, 6);
  if (digits < 0) return -1;
  const year = digits % 100;
  const month = Math.floor(digits / 100) % 100;
  const day = Math.floor(digits / 10_000);
  if (day < 1 || day > (daysOfMonth[month - 1] ?? 0)) return -1;
  // Of these years every fourth is a leap year.
  if (month === 2 && day === 29 && year % 4 !== 0) return -1;
  return ((year < 70 ? 2_000 : 1_900) + year) * 10_000 + month * 100 + day;
}

/** 20261231 as `2026-12-31`; null for what is no date. */
export function dateText(date: number): string | null {
  const text = String(date).padStart(8, '0');
  return date < 0 ? null : `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
}

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

export const isNul = (byte: number): boolean => byte === nul;
export const isControl = (byte: number): boolean => byte < blank;
export const isNoDigit = (byte: number): boolean => byte < 0x30 || byte > 0x39;

export function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (byteAt(bytes, at) !== blank) return false;
  return true;
}

/** Offset of the first byte from..to for which this holds; -1 when there is none. */
export function firstByte(
  bytes: Uint8Array,
  from: number,
  to: number,
  is: (byte: number) => boolean,
): number {
  for (let at = from; at < to; at += 1) if (is(byteAt(bytes, at))) return at;
  return -1;
}
