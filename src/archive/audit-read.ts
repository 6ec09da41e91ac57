import { createHash } from 'node:crypto';
import type { AuditRecord } from '../domain/audit';
import type { Archive } from './archive';
import { listSegments, readText, segmentKey } from './audit-chains';
import { beginningOf, linesOf, readLink } from './audit-link';
import type { IdKey } from './open-archive';

/** A record as it stands in the trail. */
export interface FiledAuditRecord extends AuditRecord {
  chain: string;
  hash: string;
  /** False when it is not as it was written, or was not written by us. */
  intact: boolean;
}

/**
 * The records of all chains in the order of their writing, each happening once. Chains are opened
 * as their time comes; a digest of each record stays in memory (a million take some 150 MB).
 *
 * @param span instants (epoch milliseconds): from the first on, before the second
 */
export async function* readAudit(
  archive: Archive,
  idKey: IdKey,
  { from = -Infinity, to = Infinity, onUnreadable }: AuditSpan,
): AsyncGenerator<FiledAuditRecord> {
  const told = new Set<string>();
  for await (const record of recordsInOrder(archive, idKey, onUnreadable)) {
    const at = Date.parse(record.at);
    if (at >= to) return;
    // One that was told before the span, and again in it, is none of the span.
    const name = nameOf(record);
    if (record.intact && told.has(name)) continue;
    if (record.intact) told.add(name);
    if (at >= from) yield record;
  }
}

export interface AuditSpan {
  from?: number;
  to?: number;
  /** A line that holds no record at all. */
  onUnreadable: (chain: string) => void;
}

interface OpenChain {
  records: AsyncGenerator<FiledAuditRecord>;
  next: FiledAuditRecord;
}

async function* recordsInOrder(
  archive: Archive,
  idKey: IdKey,
  onUnreadable: AuditSpan['onUnreadable'],
): AsyncGenerator<FiledAuditRecord> {
  const segments = await listSegments(archive);
  // Latest first, to take from the end; the names of chains begin with their first instant.
  const closed = [...segments.keys()].sort().reverse();
  const open: OpenChain[] = [];
  for (;;) {
    const [first] = open;
    const chain = closed.at(-1);
    if (chain !== undefined && (first === undefined || compact(first.next.at) >= chain)) {
      closed.pop();
      const records = recordsOf(archive, idKey, chain, segments.get(chain) ?? [], onUnreadable);
      await advance(open, records);
      continue;
    }
    if (first === undefined) return;
    open.shift();
    yield first.next;
    await advance(open, first.records);
  }
}

/** Puts a chain in its place among the open ones, by the instant of its next record. */
async function advance(
  open: OpenChain[],
  records: AsyncGenerator<FiledAuditRecord>,
): Promise<void> {
  const { value, done } = await records.next();
  if (done === true) return;
  const next: FiledAuditRecord = value;
  const place = open.findIndex((other) => other.next.at > next.at);
  open.splice(place === -1 ? open.length : place, 0, { records, next });
}

async function* recordsOf(
  archive: Archive,
  idKey: IdKey,
  chain: string,
  segments: readonly number[],
  onUnreadable: AuditSpan['onUnreadable'],
): AsyncGenerator<FiledAuditRecord> {
  const beginning = beginningOf(archive.id, chain);
  for (const segment of segments) {
    const text = await readText(archive, segmentKey(chain, segment));
    if (text === '') onUnreadable(chain);
    for (const line of linesOf(text)) {
      const link = readLink<AuditRecord>(idKey, beginning, line);
      if (link === null) onUnreadable(chain);
      else {
        const { content, hash, state } = link;
        yield { ...content, chain, hash, intact: state === 'intact' };
      }
    }
  }
}

/** An instant as names of chains begin with it. */
function compact(at: string): string {
  return at.replace(/[-:.]/g, '');
}

function nameOf({ id, result }: AuditRecord): string {
  const digest = createHash('sha256').update(`${id}\n${result}`).digest();
  return digest.toString('latin1', 0, 16);
}
