import type { IdKey } from '../../protection/id-key';
import { pagesOf } from '../pages';
import { sql } from '../statement';
import type { SealedDatabase } from '../sealed/sealed-database';
import { anchorChain, anchorOf, headOf, headsFrom, parseHead, type Anchor } from './anchors';
import { linkOf, perLook, selectEvents, type EventRow } from './event';
import { beginningOf, stateOf, type Link } from './link';

export const auditProblems = ['changed', 'foreign', 'removed'] as const;
export type AuditProblem = (typeof auditProblems)[number];

export interface AuditFinding {
  problem: AuditProblem;
  /** `anchors` when an anchor is wrong. */
  chain: string;
  /** Number of the record or anchor; the last one of several. */
  record: number;
  toRecord: number;
  message: string;
}

export interface AuditTotals {
  chains: number;
  records: number;
  anchors: number;
  findings: number;
  /** Of the last anchor, for `--head`. Null: none. */
  head: string | null;
}

/** A link by its number; null when unreadable. */
interface Numbered<L> {
  number: number;
  link: L | null;
}

interface Head {
  record: number;
  hash: string;
  anchor: number;
}

type ReportFinding = (finding: AuditFinding) => void;

/**
 * Reads the whole trail in pages, and reports what was altered.
 *
 * @param options.head the anchor that must exist, with everything that it covers
 */
export async function verifyAudit(
  store: SealedDatabase,
  idKey: IdKey,
  options: { head?: string; onFinding: (finding: AuditFinding) => void },
): Promise<AuditTotals> {
  const totals: AuditTotals = { chains: 0, records: 0, anchors: 0, findings: 0, head: null };
  const report = (finding: AuditFinding): void => {
    totals.findings += 1;
    options.onFinding(finding);
  };
  const check = (chain: string): ChainCheck => new ChainCheck(store.id, idKey, chain, report);
  const wanted = options.head === undefined ? null : parseHead(options.head);
  let wantedIsThere = wanted === null;
  // Anchors first: other writers only make chains longer than their anchors say.
  const heads = new Map<string, Head>();
  for await (const { number, hash, heads: named } of check(anchorChain).intact(anchors(store))) {
    totals.anchors += 1;
    totals.head = headOf(number, hash);
    if (wanted?.number === number && hash.startsWith(wanted.hash)) wantedIsThere = true;
    for (const [chain, record, head] of named) {
      heads.set(chain, { record, hash: head, anchor: number });
    }
  }
  if (wanted !== null && !wantedIsThere) report(headIsGone(wanted.number, options.head ?? ''));
  for (const {
    head: [chain],
  } of await headsFrom(store, '')) {
    totals.chains += 1;
    const head = heads.get(chain);
    heads.delete(chain);
    const its = check(chain);
    for await (const { number, hash } of its.intact(events(store, chain))) {
      totals.records += 1;
      if (head?.record === number && head.hash !== hash) report(otherHead(chain, head));
    }
    if (head !== undefined && its.last < head.record) report(cutOff(chain, its.last + 1, head));
  }
  for (const [chain, head] of heads) report(cutOff(chain, 1, head));
  return totals;
}

async function* anchors(store: SealedDatabase): AsyncGenerator<Numbered<Anchor>> {
  for (let after = 0; ;) {
    const link = await anchorOf(store, { after });
    if (link === null) return;
    yield { number: link.number, link };
    after = link.number;
  }
}

async function* events(store: SealedDatabase, chain: string): AsyncGenerator<Numbered<Link>> {
  const looks = pagesOf<EventRow>(perLook, (last) =>
    store.read(
      selectEvents(sql`chain = ${chain} AND number > ${last?.number ?? 0} ORDER BY number`),
    ),
  );
  for await (const rows of looks)
    for (const row of rows) yield { number: row.number, link: linkOf(store, row) };
}

/** Follows one chain from its start, and reports where it is broken. */
class ChainCheck {
  readonly #auditKey: Uint8Array;
  readonly #chain: string;
  readonly #beginning: string;
  readonly #onFinding: ReportFinding;
  /** Number of the last link read, in any state. */
  last = 0;
  /** Hash that the next link must name; null when the previous link cannot be trusted. */
  #prev: string | null;

  constructor(storeId: string, idKey: IdKey, chain: string, report: ReportFinding) {
    this.#auditKey = idKey.auditKey;
    this.#chain = chain;
    this.#onFinding = report;
    this.#beginning = beginningOf(storeId, chain);
    this.#prev = this.#beginning;
  }

  /** Intact links, in order. */
  async *intact<L extends Link>(links: AsyncIterable<Numbered<L>>): AsyncGenerator<L> {
    for await (const { number, link } of links) {
      if (number > this.last + 1) this.#removed(this.last + 1, number - 1);
      this.last = number;
      if (this.#follows(number, link)) yield link;
    }
  }

  #follows<L extends Link>(number: number, link: L | null): link is L {
    const state = link === null ? 'changed' : stateOf(this.#auditKey, this.#beginning, link);
    if (link === null || state !== 'intact') {
      this.#prev = null;
      const problem = state === 'foreign' ? 'foreign' : 'changed';
      this.#report(problem, number, stateWords[problem]);
      return false;
    }
    if (this.#prev !== null && this.#prev !== link.prev) {
      this.#report('changed', number, 'does not follow the record before it');
    }
    this.#prev = link.hash;
    return true;
  }

  #report(problem: AuditProblem, record: number, message: string): void {
    this.#onFinding({ problem, chain: this.#chain, record, toRecord: record, message });
  }

  #removed(record: number, toRecord: number): void {
    this.#prev = null;
    const message = record === toRecord ? 'is not there' : 'are not there';
    this.#onFinding({ problem: 'removed', chain: this.#chain, record, toRecord, message });
  }
}

const stateWords = {
  changed: 'is not as it was written',
  foreign: 'was written without the id key, or for another chain or store',
};

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
