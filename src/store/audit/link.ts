import { createHash } from 'node:crypto';
import { macOf } from '../../protection/id-key';

export interface LinkPosition {
  prev: string;
  number: number;
  at: string;
}

export interface Link extends LinkPosition {
  text: string;
  hash: string;
  mac: string;
}

/**
 * `changed`: the hash does not match the content. `foreign`: it does, and the MAC does not: written without the id
 * key, or for another chain.
 */
export type LinkState = 'intact' | 'changed' | 'foreign';

/** Predecessor of the first link, covered by every MAC: a link fits into one chain only. */
export function beginningOf(storeId: string, chain: string): string {
  return sha256(`diligence audit 1\n${storeId}\n${chain}`);
}

export function forgeLink(
  auditKey: Uint8Array,
  beginning: string,
  position: LinkPosition,
  text: string,
): Link {
  const hash = hashOf(position, text);
  return { ...position, text, hash, mac: macOf(auditKey, `${beginning}\n${hash}`) };
}

export function stateOf(auditKey: Uint8Array, beginning: string, link: Link): LinkState {
  if (hashOf(link, link.text) !== link.hash) return 'changed';
  const mac = macOf(auditKey, `${beginning}\n${link.hash}`);
  return mac === link.mac ? 'intact' : 'foreign';
}

/** Hash of one JSON object: the position, then the content. */
export function hashOf({ prev, number, at }: LinkPosition, text: string): string {
  return sha256(`${JSON.stringify({ prev, number, at }).slice(0, -1)},${text.slice(1)}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
