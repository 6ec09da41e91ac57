import { createHash } from 'node:crypto';
import type { IdKey } from './open-archive';

/** What every link of a chain carries beside its content. */
export interface LinkPlace {
  prev: string;
  number: number;
  at: string;
}

export interface Link<T> {
  content: LinkPlace & T;
  hash: string;
  /**
   * `changed`: the hash is not that of the content. `foreign`: it is, and the MAC is not: written
   * without the id key, or for another chain.
   */
  state: 'intact' | 'changed' | 'foreign';
}

/** What the first link of a chain follows, and every MAC covers: no link fits into another chain. */
export function beginningOf(archiveId: string, chain: string): string {
  return sha256(`diligence audit 1\n${archiveId}\n${chain}`);
}

/** One line of JSON (with its line end) that ends with its own hash (SHA-256 of all before it) and the HMAC of that. */
export function forgeLink(
  idKey: IdKey,
  beginning: string,
  content: LinkPlace,
): { line: string; hash: string } {
  const body = JSON.stringify(content);
  const hash = sha256(body);
  const mac = idKey.macOf(`${beginning}\n${hash}`);
  return { line: `${body.slice(0, -1)},"hash":"${hash}","mac":"${mac}"}\n`, hash };
}

/** The lines of an object, each with its end. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/**
 * @param line with its end
 * @returns null for a line that is not a link at all
 */
export function readLink<T>(idKey: IdKey, beginning: string, line: string): Link<T> | null {
  const found = /^(.*),"hash":"([0-9a-f]{64})","mac":"([0-9a-f]{32})"\}\n$/s.exec(line);
  const [, start, hash, mac] = found ?? [];
  if (start === undefined || hash === undefined) return null;
  const content = placeOf(`${start}}`) as (LinkPlace & T) | null;
  if (content === null) return null;
  if (sha256(`${start}}`) !== hash) return { content, hash, state: 'changed' };
  return {
    content,
    hash,
    state: idKey.macOf(`${beginning}\n${hash}`) === mac ? 'intact' : 'foreign',
  };
}

function placeOf(body: string): LinkPlace | null {
  try {
    const content = JSON.parse(body) as Partial<LinkPlace> | null;
    return Number.isSafeInteger(content?.number) && typeof content?.prev === 'string'
      ? (content as LinkPlace)
      : null;
  } catch {
    return null;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
