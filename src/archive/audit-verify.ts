import type { AuditAnchor } from '../domain/audit';
import type { Archive } from './archive';
import {
  anchorChain,
  anchorKey,
  listAnchors,
  listSegments,
  readText,
  segmentKey,
} from './audit-chains';
import { beginningOf, linesOf, readLink, type Link } from './audit-link';
import { headOf } from './audit-trail';
import type { IdKey } from './open-archive';

export const auditProblems = ['changed', 'foreign', 'removed', 'reordered', 'repeated'] as const;
export type AuditProblem = (typeof auditProblems)[number];

export interface AuditFinding {
  problem: AuditProblem;
  /** `anchors` for what is wrong with an anchor. */
  chain: string;
  /** Number of the record (or of the anchor), and of the last one when it is several. */
  record: number;
  toRecord: number;
  message: string;
}

export interface AuditTotals {
  chains: number;
  records: number;
  anchors: number;
  findings: number;
  /** Of the last anchor: what `--head` takes. Null when there is none. */
  head: string | null;
}

/** A head given by whoever keeps one: `<number>-<32 hex digits>`. Null when it is not one. */
export function parseHead(text: string): { number: number; hash: string } | null {
  const [, number, hash] = /^([1-9]\d{0,7})-([0-9a-f]{32})$/.exec(text) ?? [];
  return number === undefined || hash === undefined ? null : { number: Number(number), hash };
}

/**
 * Reads the whole trail, an object at a time, and tells what is not as it was written.
 *
 * @param options.head all that its anchor names must be there, and the anchor itself
 */
export async function verifyAudit(
  archive: Archive,
  idKey: IdKey,
  options: { head?: string; onFinding: (finding: AuditFinding) => void },
): Promise<AuditTotals> {
  const totals: AuditTotals = { chains: 0, records: 0, anchors: 0, findings: 0, head: null };
  const tell = (finding: AuditFinding): void => {
    totals.findings += 1;
    options.onFinding(finding);
  };
  const wanted = options.head === undefined ? null : parseHead(options.head);
  let wantedIsThere = wanted === null;
  // Anchors first: while others write, chains may be longer than anchors say, never shorter.
  const heads = new Map<string, Head>();
  const anchors = new ChainWalk<AuditAnchor>(archive, idKey, anchorChain, tell);
  for await (const { content, hash } of anchors.links(await listAnchors(archive), anchorKey)) {
    totals.anchors += 1;
    totals.head = headOf(content.number, hash);
    if (wanted?.number === content.number && hash.startsWith(wanted.hash)) wantedIsThere = true;
    for (const [chain, record, head] of content.heads) {
      heads.set(chain, { record, hash: head, anchor: content.number });
    }
  }
  if (wanted !== null && !wantedIsThere) tell(headIsGone(wanted.number, options.head ?? ''));
  for (const [chain, segments] of await listSegments(archive)) {
    totals.chains += 1;
    const walk = new ChainWalk(archive, idKey, chain, tell);
    const head = heads.get(chain);
    heads.delete(chain);
    let reached = 0;
    for await (const link of walk.links(segments, (number) => segmentKey(chain, number))) {
      totals.records += 1;
      reached = link.content.number;
      if (head?.record === reached && head.hash !== link.hash) tell(otherHead(chain, head));
    }
    const last = Math.max(reached, walk.last);
    if (head !== undefined && last < head.record) tell(cutOff(chain, last + 1, head));
  }
  for (const [chain, head] of heads) tell(cutOff(chain, 1, head));
  return totals;
}

interface Head {
  record: number;
  hash: string;
  anchor: number;
}

type Tell = (finding: AuditFinding) => void;

/** Follows one chain from its beginning, and tells where it is broken. */
class ChainWalk<T> {
  readonly #archive: Archive;
  readonly #idKey: IdKey;
  readonly #chain: string;
  readonly #beginning: string;
  readonly #tell: Tell;
  /** Numbers passed over so far: removed, unless they turn up later. */
  #missing: [from: number, to: number][] = [];
  #expected = 1;
  /** Hash that the next link must name; null where the link before could not be trusted. */
  #prev: string | null;

  constructor(archive: Archive, idKey: IdKey, chain: string, tell: Tell) {
    this.#archive = archive;
    this.#idKey = idKey;
    this.#chain = chain;
    this.#tell = tell;
    this.#beginning = beginningOf(archive.id, chain);
    this.#prev = this.#beginning;
  }

  /** Number of the last link seen, whatever its state. */
  get last(): number {
    return this.#expected - 1;
  }

  /** Links that are as they were written, in the order in which they stand. */
  async *links(objects: readonly number[], keyOf: (number: number) => string) {
    let nextObject = 1;
    for (const object of objects) {
      const text = await readText(this.#archive, keyOf(object));
      const startsAt = this.#expected;
      const lines = linesOf(text);
      if (lines.length === 0)
        this.#report('changed', this.#expected, `${keyOf(object)} is empty or cannot be read`);
      for (const [index, line] of lines.entries()) {
        const link = readLink<T>(this.#idKey, this.#beginning, line);
        const isFirst = index === 0 && object !== nextObject;
        if (isFirst && link?.content.number === startsAt) {
          this.#report('reordered', startsAt, `${keyOf(object)} does not stand where it was put`);
        }
        if (this.#follows(link)) yield link;
      }
      nextObject = object + 1;
    }
    for (const [from, to] of this.#missing) this.#reportRemoved(from, to);
    this.#missing = [];
  }

  /** Whether a link is as it was written; tells what is wrong with it, or before it. */
  #follows(link: Link<T> | null): link is Link<T> {
    if (link === null || link.state === 'changed') {
      this.#report('changed', this.#expected, 'is not as it was written');
      this.#expected += 1;
      this.#prev = null;
      return false;
    }
    const { number, prev } = link.content;
    if (link.state === 'foreign') {
      const message = 'was written without the id key, or for another chain or archive';
      this.#report('foreign', this.#expected, message);
      if (number === this.#expected) this.#expected += 1;
      this.#prev = null;
      return false;
    }
    if (number < this.#expected) {
      if (this.#takeMissing(number)) {
        this.#report('reordered', number, `stands behind record ${this.#expected - 1}`);
      } else this.#report('repeated', number, 'stands there twice, or in place of another');
      this.#prev = null;
      return false;
    }
    if (number > this.#expected) this.#missing.push([this.#expected, number - 1]);
    else if (this.#prev !== null && this.#prev !== prev) {
      this.#report('changed', number, 'does not follow the record before it');
    }
    this.#expected = number + 1;
    this.#prev = link.hash;
    return true;
  }

  #takeMissing(number: number): boolean {
    const index = this.#missing.findIndex(([from, to]) => from <= number && number <= to);
    const [from, to] = this.#missing[index] ?? [];
    if (from === undefined || to === undefined) return false;
    const rest: [number, number][] = [
      [from, number - 1],
      [number + 1, to],
    ];
    this.#missing.splice(index, 1, ...rest.filter(([first, last]) => first <= last));
    return true;
  }

  #report(problem: AuditProblem, record: number, message: string): void {
    this.#tell({ problem, chain: this.#chain, record, toRecord: record, message });
  }

  #reportRemoved(record: number, toRecord: number): void {
    const message = record === toRecord ? 'is not there' : 'are not there';
    this.#tell({ problem: 'removed', chain: this.#chain, record, toRecord, message });
  }
}

function cutOff(chain: string, record: number, head: Head): AuditFinding {
  const message =
    record === 1
      ? `the whole chain is not there, and anchor ${head.anchor} names it`
      : `the end is not there, and anchor ${head.anchor} names it`;
  return { problem: 'removed', chain, record, toRecord: head.record, message };
}

function otherHead(chain: string, { record, anchor }: Head): AuditFinding {
  const message = `is another one than anchor ${anchor} names`;
  return { problem: 'changed', chain, record, toRecord: record, message };
}

function headIsGone(anchor: number, head: string): AuditFinding {
  const message = `the head ${head} is not there: the end was removed, or all of it written anew`;
  return { problem: 'removed', chain: anchorChain, record: anchor, toRecord: anchor, message };
}
