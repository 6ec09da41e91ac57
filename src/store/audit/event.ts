import { createHash } from 'node:crypto';
import type { AuditEntry } from '../../domain/core/audit';
import { BrokenSealError } from '../../protection/key-ring';
import { rowName, type Seal } from '../sealed/seal';
import { statement, type Statement } from '../statement';
import type { NewEvent } from './chain';
import type { Link } from './link';

export interface EventRow extends Omit<Link, 'text'> {
  chain: string;
  name: string;
  body: Uint8Array;
}

/** @param where which of them, in which order */
export function selectEvents(where: string, parameters: readonly unknown[]): Statement {
  const columns = 'chain, number, at, prev, hash, mac, name, body';
  return statement(`SELECT ${columns} FROM event WHERE ${where} LIMIT ${perLook}`, parameters);
}

/** Events that one look reads. */
export const perLook = 500;

/**
 * How an entry goes into its table. What is told again has the same name.
 *
 * @param text of `numbered`
 */
export async function eventOf(seal: Seal, text: string): Promise<NewEvent> {
  const name = nameOf(entryOf(text));
  return { name, text, body: Buffer.from(await seal.seal(rowName('event', name), text)) };
}

/** Null: it was sealed and then altered, or goes by the name of another. */
export function linkOf(seal: Seal, { name, body, ...link }: EventRow): Link | null {
  try {
    const text = seal.open(rowName('event', name), body).toString('utf8');
    return nameOf(entryOf(text)) === name ? { ...link, text } : null;
  } catch (error) {
    if (error instanceof BrokenSealError || error instanceof SyntaxError) return null;
    throw error;
  }
}

export function entryOf(text: string): AuditEntry {
  return JSON.parse(text) as AuditEntry;
}

function nameOf({ id, result }: AuditEntry): string {
  return createHash('sha256').update(`${id}\n${result}`).digest('hex').slice(0, 32);
}
