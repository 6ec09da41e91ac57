import { StatusError } from '../http/errors';

/** @returns null when it is no address of the web */
export function webAddress(address: string, base: string): string | null {
  if (!URL.canParse(address, base)) return null;
  const url = new URL(address, base);
  return /^https?:$/.test(url.protocol) ? url.href : null;
}

/**
 * Where an answer sends whoever asked for `from`.
 *
 * @returns null when it sends nowhere, or to what is no address of the web
 */
export function redirectTarget(error: unknown, from: string): string | null {
  if (!(error instanceof StatusError) || error.location === null) return null;
  if (![301, 302, 303, 307, 308].includes(error.status)) return null;
  return webAddress(error.location, from);
}
