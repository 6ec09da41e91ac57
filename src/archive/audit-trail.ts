import { randomBytes } from 'node:crypto';
import type { AuditAnchor, AuditEntry, ChainHead } from '../domain/audit';
import { ArchiveError, type Archive } from './archive';
import {
  anchorChain,
  anchorKey,
  chainName,
  daysBetween,
  goesOn,
  isThere,
  lastPresent,
  listChains,
  readText,
  segmentKey,
  type ChainKind,
} from './audit-chains';
import { beginningOf, forgeLink, linesOf, readLink } from './audit-link';
import type { IdKey } from './open-archive';

const oneDayMs = 86_400_000;
/** Entries of one object: what a reader has in memory at once. */
const mostPerSegment = 1_000;
/** A process that has just started reads this many anchors back to learn which heads are known. */
const anchorsReadBack = 100;

interface OpenChain {
  name: string;
  beginning: string;
  startedAt: number;
  /** Number of the segment written last. */
  segment: number;
  number: number;
  hash: string;
  /** Instant of the record written last: those of a chain never go back. */
  at: number;
}

interface Waiting {
  entries: readonly AuditEntry[];
  done: () => void;
  failed: (error: unknown) => void;
}

/**
 * Writes the audit trail of one process, in a chain of its own, and ties the chains of all together
 * with anchors. docs/decisions/010 says why.
 */
export class AuditTrail {
  readonly #archive: Archive;
  readonly #idKey: IdKey;
  readonly #kind: ChainKind;
  readonly #now: () => number;
  #chain: OpenChain | null = null;
  #waiting: Waiting[] = [];
  #writing = false;
  #anchoring: Promise<unknown> = Promise.resolve();
  #anchors: AnchorsKnown | null = null;

  /** @param kind a command writes little and ends: each of its appends is a chain of its own */
  constructor(archive: Archive, idKey: IdKey, kind: ChainKind, now: () => number = Date.now) {
    this.#archive = archive;
    this.#idKey = idKey;
    this.#kind = kind;
    this.#now = now;
  }

  /**
   * Puts entries on record. What is asked for while the disk is busy is written together: many
   * callers, one object.
   *
   * @returns once they are on the disk
   * @throws what the archive throws; nothing or all of it may have been written then
   */
  append(entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return Promise.resolve();
    return new Promise((done, failed) => {
      this.#waiting.push({ entries, done, failed });
      if (!this.#writing) void this.#write();
    });
  }

  /**
   * What nobody may remove unseen, not even the last record: appended, and named by an anchor.
   *
   * @returns the head, as `anchor` does
   */
  async appendAndAnchor(entries: readonly AuditEntry[]): Promise<string> {
    await this.append(entries);
    return this.anchor();
  }

  /**
   * Writes an anchor that names how far every chain has come, unless none has moved.
   *
   * @returns the head: `<number>-<32 hex digits>`, which `audit verify --head` takes
   */
  anchor(): Promise<string> {
    const anchored = this.#anchoring.then(() => this.#anchor());
    this.#anchoring = anchored.catch(() => undefined);
    return anchored;
  }

  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const together = this.#waiting;
      this.#waiting = [];
      try {
        const entries = together.flatMap((waiting) => waiting.entries);
        for (let from = 0; from < entries.length; from += mostPerSegment) {
          await this.#writeSegment(entries.slice(from, from + mostPerSegment));
        }
        for (const { done } of together) done();
      } catch (error) {
        // Whether the object is there or not, nothing may follow it: the next one begins a chain.
        this.#chain = null;
        for (const { failed } of together) failed(error);
      }
    }
    this.#writing = false;
  }

  async #writeSegment(entries: readonly AuditEntry[]): Promise<void> {
    const now = this.#now();
    // A chain ends after a day, so that an anchor need not look at those of years.
    const chain = this.#chain;
    const current = chain === null || now - chain.startedAt > oneDayMs ? this.#newChain() : chain;
    let { number, hash } = current;
    const at = Math.max(now, current.at);
    const lines = entries.map((entry) => {
      const place = { prev: hash, number: (number += 1), at: new Date(at).toISOString() };
      const link = forgeLink(this.#idKey, current.beginning, { ...place, ...entry });
      hash = link.hash;
      return link.line;
    });
    const segment = current.segment + 1;
    const key = segmentKey(current.name, segment);
    const put = await this.#archive.putIfAbsent(key, lines.join(''));
    if (put === 'exists') throw new ArchiveError(`${key} was written by somebody else`);
    this.#chain = this.#kind === 'worker' ? { ...current, segment, number, hash, at } : null;
  }

  #newChain(): OpenChain {
    const startedAt = this.#now();
    const name = chainName(this.#kind, startedAt, randomBytes(4).toString('hex'));
    const beginning = beginningOf(this.#archive.id, name);
    return { name, beginning, startedAt, segment: 0, number: 0, hash: beginning, at: startedAt };
  }

  async #anchor(): Promise<string> {
    const anchors = (this.#anchors ??= new AnchorsKnown(this.#archive, this.#idKey));
    for (;;) {
      await anchors.catchUp();
      const heads = await anchors.movedHeads(this.#now());
      const { last } = anchors;
      if (heads.length === 0 && last?.intact === true) return headOf(last.number, last.hash);
      const number = (last?.number ?? 0) + 1;
      const beginning = beginningOf(this.#archive.id, anchorChain);
      const prev = last?.hash ?? beginning;
      const anchor: AuditAnchor = { prev, number, at: new Date(this.#now()).toISOString(), heads };
      const { line, hash } = forgeLink(this.#idKey, beginning, anchor);
      const put = await this.#archive.putIfAbsent(anchorKey(number), line);
      // Another writer may have been first: its anchor is read, and ours comes after it.
      if (put === 'stored') return headOf(number, hash);
    }
  }
}

export function headOf(number: number, hash: string): string {
  return `${number}-${hash.slice(0, 32)}`;
}

/** The anchors so far, as far as the next one needs them. */
class AnchorsKnown {
  readonly #archive: Archive;
  readonly #idKey: IdKey;
  /** The last anchor there is, ours or not; `at` is that of the last one that is ours. */
  last: { number: number; hash: string; at: number | null; intact: boolean } | null = null;
  /** Heads as anchors named them last. */
  readonly #anchored = new Map<string, string>();
  /** Segment in which a chain's head was last seen, to look from there on. */
  readonly #segments = new Map<string, number>();

  constructor(archive: Archive, idKey: IdKey) {
    this.#archive = archive;
    this.#idKey = idKey;
  }

  /** Reads what others have anchored since. */
  async catchUp(): Promise<void> {
    const beginning = beginningOf(this.#archive.id, anchorChain);
    const known = this.last?.number ?? 0;
    const newest = await lastPresent(known, (number) => isThere(this.#archive, anchorKey(number)));
    for (
      let number = Math.max(known, newest - anchorsReadBack) + 1;
      number <= newest;
      number += 1
    ) {
      const text = await readText(this.#archive, anchorKey(number));
      const link = readLink<AuditAnchor>(this.#idKey, beginning, text);
      // One that was spoilt, or is not ours, is for `audit verify` to tell: work goes on behind it.
      const hash = link?.hash ?? this.last?.hash ?? beginning;
      const ours = link?.state === 'intact' ? link.content : null;
      const at = ours === null ? (this.last?.at ?? null) : Date.parse(ours.at);
      this.last = { number, hash, at, intact: ours !== null };
      for (const [chain, , head] of ours?.heads ?? []) this.#anchored.set(chain, head);
    }
  }

  /** How far chains have come, of those that no anchor names as they stand. */
  async movedHeads(now: number): Promise<ChainHead[]> {
    const heads: ChainHead[] = [];
    for (const chain of await this.#chainsThatMayMove(now)) {
      if (!goesOn(chain) && this.#anchored.has(chain)) continue;
      const head = await this.#headOf(chain);
      if (head !== null && this.#anchored.get(chain) !== head[2]) heads.push(head);
    }
    return heads;
  }

  /** A chain takes records for a day. A day more is for clocks that differ. */
  async #chainsThatMayMove(now: number): Promise<string[]> {
    const since = this.last?.at ?? null;
    if (since === null) return listChains(this.#archive);
    // The last anchor may be of a clock that was far ahead.
    const days = daysBetween(Math.min(since, now) - 2 * oneDayMs, now + oneDayMs);
    const chains = [];
    for (const day of days) chains.push(...(await listChains(this.#archive, day)));
    this.#forgetOthers(new Set(chains));
    return chains;
  }

  async #headOf(chain: string): Promise<ChainHead | null> {
    const segment = !goesOn(chain)
      ? 1
      : await lastPresent(this.#segments.get(chain) ?? 1, (number) =>
          isThere(this.#archive, segmentKey(chain, number)),
        );
    const text = await readText(this.#archive, segmentKey(chain, segment));
    const beginning = beginningOf(this.#archive.id, chain);
    const link = readLink(this.#idKey, beginning, linesOf(text).at(-1) ?? '');
    if (link === null) return null;
    this.#segments.set(chain, segment);
    return [chain, link.content.number, link.hash];
  }

  #forgetOthers(chains: ReadonlySet<string>): void {
    for (const map of [this.#anchored, this.#segments]) {
      for (const chain of map.keys()) if (!chains.has(chain)) map.delete(chain);
    }
  }
}
