import { createHash } from 'node:crypto';
import type { AuditEntry } from '../../domain/core/audit';
import { BrokenSealError } from '../../protection/key-ring';
import { rowName, type Seal } from '../sealed/seal';
import { sql, type Statement } from '../statement';
import type { NewEvent } from './chain';
import type { Link } from './link';

export interface EventRow extends Omit<Link, 'text'> {
  chain: string;
  name: string;
  job: string | null;
  body: Uint8Array;
}

export function selectEvents(where: Statement): Statement {
  return sql`SELECT chain, number, at, prev, hash, mac, name, job, body FROM event
    WHERE ${where} LIMIT ${perLook}`;
}

/** Those after one, in the order of writing. @param only condition */
export function eventsAfter(last: EventRow | undefined, only = sql`1 = 1`): Statement {
  const { at, chain, number } = last ?? { at: '', chain: '', number: 0 };
  return selectEvents(
    sql`${only} AND (at, chain, number) > (${at}, ${chain}, ${number}) ORDER BY at, chain, number`,
  );
}

export const perLook = 500;

/** An entry as a row. A repeated entry has the same name. */
export async function eventOf(seal: Seal, text: string): Promise<NewEvent> {
  const entry = entryOf(text);
  const name = nameOf(entry);
  return {
    name,
    job: jobOf(entry),
    text,
    body: Buffer.from(await seal.seal(rowName('event', name), text)),
  };
}

/** Null: altered after sealing, or stored under another name or job. */
export function linkOf(seal: Seal, { name, job, body, ...link }: EventRow): Link | null {
  try {
    const text = seal.open(rowName('event', name), body).toString('utf8');
    const entry = entryOf(text);
    return nameOf(entry) === name && jobOf(entry) === job ? { ...link, text } : null;
  } catch (error) {
    if (error instanceof BrokenSealError || error instanceof SyntaxError) return null;
    throw error;
  }
}

export function entryOf(text: string): AuditEntry {
  return JSON.parse(text) as AuditEntry;
}

function nameOf({ id, result }: AuditEntry): string {
  return hashed(`${id}\n${result}`);
}

function jobOf({ job }: AuditEntry): string | null {
  return job === undefined ? null : jobHash(job);
}

/** Index of the lines about a job. @param numbered its id as written in lines */
export function jobHash(numbered: string): string {
  return hashed(`job\n${numbered}`);
}

function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
