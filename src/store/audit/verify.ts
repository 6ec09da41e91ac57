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
  chain: string;
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

interface Numbered<L> {
  number: number;
  link: L | null;
}

interface Head {
  record: number;
  hash: string;
  anchor: number;
}

/** @param options.head the anchor that must exist, with everything that it covers */
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
  const intact = <L extends Link>(chain: string, links: AsyncIterable<Numbered<L>>, head?: Head) =>
    intactLinks(links, { chain, head, report, beginning: beginningOf(store.id, chain), idKey });
  const wanted = options.head === undefined ? null : parseHead(options.head);
  let wantedIsThere = wanted === null;
  // Anchors first: other writers only make chains longer than their anchors say.
  const heads = new Map<string, Head>();
  for await (const { number, hash, heads: named } of intact(anchorChain, anchors(store))) {
    totals.anchors += 1;
    totals.head = headOf(number, hash);
    if (wanted?.number === number && hash.startsWith(wanted.hash)) wantedIsThere = true;
    for (const [chain, record, head] of named) {
      heads.set(chain, { record, hash: head, anchor: number });
    }
  }
  if (wanted !== null && !wantedIsThere) {
    const message = `the head ${options.head} is not there: the end was removed, or all of it written anew`;
    const { number: record } = wanted;
    report({ problem: 'removed', chain: anchorChain, record, toRecord: record, message });
  }
  const found = (await headsFrom(store, '')).map(({ head: [chain] }) => chain);
  totals.chains = found.length;
  for (const chain of new Set([...found, ...heads.keys()]))
    for await (const _ of intact(chain, events(store, chain), heads.get(chain)))
      totals.records += 1;
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

/** Follows one chain from its start: yields intact links, and reports where it is broken. */
async function* intactLinks<L extends Link>(
  links: AsyncIterable<Numbered<L>>,
  about: {
    chain: string;
    beginning: string;
    idKey: IdKey;
    head: Head | undefined;
    report: (finding: AuditFinding) => void;
  },
): AsyncGenerator<L> {
  const { chain, beginning, head, idKey, report } = about;
  const find = (problem: AuditProblem, record: number, message: string, toRecord = record): void =>
    report({ problem, chain, record, toRecord, message });
  let last = 0;
  // Hash that the next link must name; null when the previous link cannot be trusted.
  let prev: string | null = beginning;
  for await (const { number, link } of links) {
    if (number > last + 1) {
      const words = number === last + 2 ? 'is not there' : 'are not there';
      find('removed', last + 1, words, number - 1);
      prev = null;
    }
    last = number;
    const state = link === null ? 'changed' : stateOf(idKey.auditKey, beginning, link);
    if (link === null || state !== 'intact') {
      const problem = state === 'foreign' ? 'foreign' : 'changed';
      find(problem, number, stateWords[problem]);
      prev = null;
      continue;
    }
    if (prev !== null && prev !== link.prev)
      find('changed', number, 'does not follow the record before it');
    prev = link.hash;
    if (head?.record === number && head.hash !== link.hash)
      find('changed', number, `is another one than anchor ${head.anchor} names`);
    yield link;
  }
  if (head === undefined || last >= head.record) return;
  const part = last === 0 ? 'the whole chain' : 'the end';
  const message = `${part} is not there, and anchor ${head.anchor} names it`;
  find('removed', last + 1, message, head.record);
}

const stateWords = {
  changed: 'is not as it was written',
  foreign: 'was written without the id key, or for another chain or store',
};
