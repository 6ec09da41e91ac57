import { z } from 'zod';

/** A number within bounds; the message names them. */
export function numberWithin(lowest: number, highest: number) {
  const expected = `expected a number from ${lowest} to ${highest}`;
  return z.coerce.number(expected).min(lowest, expected).max(highest, expected);
}

/** A timeout of the configuration file, in seconds. */
export function seconds(lowest: number, highest: number) {
  const expected = `expected a number of seconds from ${lowest} to ${highest}`;
  return z.number(expected).min(lowest, expected).max(highest, expected);
}

/** An address without user, query and fragment, which may contain secrets. */
export const webAddress = z
  .string('expected an http or https address')
  .refine(isWebAddress, 'expected an http or https address')
  .refine(isPlainAddress, 'expected no user, query or fragment in the address');

export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, search, hash } = new URL(text);
  return [username, password, search, hash].every((part) => part === '');
}

export interface ListenAddress {
  host: string;
  /** 0: any free one. */
  port: number;
}

/** Null for `off`, and for an invalid address. */
export function listenAddress(text: string): ListenAddress | null {
  const [, host, port] = /^(\[[\da-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) return null;
  return { host: host.replace(/[[\]]/g, ''), port: Number(port) };
}
