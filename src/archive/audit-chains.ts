import { BrokenSealError } from '../protection/key-ring';
import type { Archive } from './archive';

/**
 * Chains of the audit trail as they stand in the archive. A chain begins with
 * `audit/chains/<day>/<chain>.jsonl`, and goes on in `audit/segments/<chain>/<number>.jsonl` from 2
 * on: so that the chains of a day are found without listing what is in them.
 */

/** Chains of commands are one object each and never go on; those of workers do. */
export type ChainKind = 'worker' | 'command';

/** `20261121T101530123Z-worker-1a2b3c4d`: names of chains sort by the instant of their beginning. */
export function chainName(kind: ChainKind, startedAt: number, random: string): string {
  const instant = new Date(startedAt).toISOString().replace(/[-:.]/g, '');
  return `${instant}-${kind}-${random}`;
}

export function goesOn(chain: string): boolean {
  return chain.includes('-worker-');
}

export function segmentKey(chain: string, segment: number): string {
  if (segment === 1) return `${chainsFolder(dayOfChain(chain))}${chain}.jsonl`;
  return `audit/segments/${chain}/${numeral(segment)}.jsonl`;
}

/** The anchors are links of a chain too, one object each. */
export const anchorChain = 'anchors';

export function anchorKey(number: number): string {
  return `audit/anchors/${numeral(number)}.json`;
}

/** Names of the chains that began on a day (`2026-11-21`), or of all, in order. */
export async function listChains(archive: Archive, day?: string): Promise<string[]> {
  const keys = await archive.list(day === undefined ? 'audit/chains/' : chainsFolder(day));
  return keys.map((key) => key.slice(key.lastIndexOf('/') + 1).replace(/\.jsonl$/, ''));
}

/** Numbers of the segments that are there, by chain, in order, with or without gaps. */
export async function listSegments(archive: Archive): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  // Later segments first: a chain that begins and goes on meanwhile is not one without a beginning.
  const later = await archive.list('audit/segments/');
  for (const chain of await listChains(archive)) found.set(chain, [1]);
  for (const key of later) {
    const [, , chain = '', name = ''] = key.split('/');
    const segments = found.get(chain);
    if (segments === undefined) found.set(chain, [Number.parseInt(name, 10)]);
    else segments.push(Number.parseInt(name, 10));
  }
  return found;
}

/** Numbers of the anchors that are there, in order. */
export async function listAnchors(archive: Archive): Promise<number[]> {
  const keys = await archive.list('audit/anchors/');
  return keys.map((key) => Number.parseInt(key.slice(key.lastIndexOf('/') + 1), 10));
}

/** The text of an object; '' when it is not there, or was sealed and then altered. */
export async function readText(archive: Archive, key: string): Promise<string> {
  return (await look(archive, key)) ?? '';
}

export async function isThere(archive: Archive, key: string): Promise<boolean> {
  return (await look(archive, key)) !== null;
}

async function look(archive: Archive, key: string): Promise<string | null> {
  try {
    return (await archive.get(key))?.toString('utf8') ?? null;
  } catch (error) {
    if (error instanceof BrokenSealError) return '';
    throw error;
  }
}

/** The highest number from `known` on that is there, when all up to it are. Few looks for many. */
export async function lastPresent(
  known: number,
  has: (number: number) => Promise<boolean>,
): Promise<number> {
  let there = known;
  let step = 1;
  while (await has(there + step)) {
    there += step;
    step *= 2;
  }
  for (let missing = there + step; missing - there > 1;) {
    const middle = there + Math.floor((missing - there) / 2);
    if (await has(middle)) there = middle;
    else missing = middle;
  }
  return there;
}

/** Days (`2026-11-21`, UTC) from one instant to another, both included. */
export function daysBetween(from: number, to: number): string[] {
  const days: string[] = [];
  const oneDayMs = 86_400_000;
  for (let at = Math.floor(from / oneDayMs) * oneDayMs; at <= to; at += oneDayMs) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  return days;
}

function dayOfChain(chain: string): string {
  return `${chain.slice(0, 4)}-${chain.slice(4, 6)}-${chain.slice(6, 8)}`;
}

function chainsFolder(day: string): string {
  return `audit/chains/${day}/`;
}

function numeral(n: number): string {
  return String(n).padStart(8, '0');
}
