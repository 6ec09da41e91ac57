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
 * A record that is not intact is among those of every span, behind the record before it in its
 * chain: its own instant may be the very thing that was changed.
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
    if (!record.intact) {
      yield record;
      continue;
    }
    const at = Date.parse(record.at);
    // Read to the end all the same: what is not intact comes from anywhere.
    if (at >= to) continue;
    // One that was told before the span, and again in it, is none of the span.
    const name = nameOf(record);
    if (told.has(name)) continue;
    told.add(name);
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
  records: AsyncGenerator<PlacedRecord>;
  next: PlacedRecord;
}

interface PlacedRecord {
  record: FiledAuditRecord;
  /** Instant by which it takes its place, as names of chains begin with it. */
  place: string;
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
    if (chain !== undefined && (first === undefined || first.next.place >= chain)) {
      closed.pop();
      const records = recordsOf(archive, idKey, chain, segments.get(chain) ?? [], onUnreadable);
      await advance(open, records);
      continue;
    }
    if (first === undefined) return;
    open.shift();
    yield first.next.record;
    await advance(open, first.records);
  }
}

/** Puts a chain in its place among the open ones, by the instant of its next record. */
async function advance(open: OpenChain[], records: AsyncGenerator<PlacedRecord>): Promise<void> {
  const { value, done } = await records.next();
  if (done === true) return;
  const next: PlacedRecord = value;
  const place = open.findIndex((other) => other.next.place > next.place);
  open.splice(place === -1 ? open.length : place, 0, { records, next });
}

async function* recordsOf(
  archive: Archive,
  idKey: IdKey,
  chain: string,
  segments: readonly number[],
  onUnreadable: AuditSpan['onUnreadable'],
): AsyncGenerator<PlacedRecord> {
  const beginning = beginningOf(archive.id, chain);
  let place = chain.replace(/-.*/, '');
  for (const segment of segments) {
    const text = await readText(archive, segmentKey(chain, segment));
    if (text === '') onUnreadable(chain);
    for (const line of linesOf(text)) {
      const link = readLink<AuditRecord>(idKey, beginning, line);
      if (link === null) onUnreadable(chain);
      else {
        const { content, hash } = link;
        const intact = link.state === 'intact';
        if (intact) place = compact(content.at);
        yield { record: { ...content, chain, hash, intact }, place };
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
