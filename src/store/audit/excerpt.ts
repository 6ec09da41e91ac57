import type { AuditExcerpt, ExcerptLink } from '../../domain/core/audit';
import { pagesOf } from '../pages';
import { sql } from '../statement';
import type { Store } from '../store';
import { anchorOf, type Anchor } from './anchors';
import { entryOf, jobHash, linkOf, perLook, eventsAfter, type EventRow } from './event';
import { beginningOf } from './link';
import { numbersIn, rewritten } from './numbers';

/** The records of some jobs, each with the links up to the next anchor. @param last id of the last of them */
export async function excerptOf(
  store: Store,
  jobs: ReadonlySet<string>,
  last: string,
): Promise<AuditExcerpt> {
  const texts = await recordsAbout(store, jobs, last);
  const reported = [...texts.values()].flatMap((own) => [...own.values()]);
  const nameIn = await rewritten(store, reported, 'subject');
  const known = [...new Set(reported.flatMap(numbersIn))]
    .map((number): [string, string] => [number, nameIn(number)])
    .filter(([number, name]) => number !== name)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const excerpt: AuditExcerpt = { names: Object.fromEntries(known), chains: [], anchors: [] };
  for (const chain of [...texts.keys()].toSorted()) {
    const own = texts.get(chain) ?? new Map<number, string>();
    let end = 0;
    for (const number of own.keys()) {
      if (number <= end) continue;
      const anchor = await anchorNaming(store, chain, number);
      end = anchor?.heads.find(([name]) => name === chain)?.[1] ?? number;
      // Without their content.
      const links = await store.read<Omit<ExcerptLink, 'text'>>(sql`
        SELECT number, at, prev, hash FROM event
        WHERE chain = ${chain} AND number BETWEEN ${number} AND ${end} ORDER BY number`);
      excerpt.chains.push({
        chain,
        beginning: beginningOf(store.id, chain),
        links: links.map((link) => ({ ...link, text: own.get(link.number) ?? null })),
      });
      if (anchor === null || excerpt.anchors.some((one) => one.number === anchor.number)) continue;
      const { at, hash, prev, text } = anchor;
      excerpt.anchors.push({ number: anchor.number, at, prev, hash, text });
    }
  }
  return excerpt;
}

async function recordsAbout(
  store: Store,
  jobs: ReadonlySet<string>,
  last: string,
): Promise<Map<string, Map<number, string>>> {
  const texts = new Map<string, Map<number, string>>();
  const numbered = await rewritten(store, [...jobs, last], 'number');
  const lastId = numbered(last);
  const about = [...jobs].map((job) => jobHash(numbered(job)));
  const looks = pagesOf<EventRow>(perLook, (row) =>
    store.read(eventsAfter(row, sql`job IN ${about}`)),
  );
  for await (const rows of looks) {
    for (const row of rows) {
      const { text = null } = linkOf(store, row) ?? {};
      if (text === null) continue;
      const { chain, number } = row;
      texts.set(chain, (texts.get(chain) ?? new Map<number, string>()).set(number, text));
      if (entryOf(text).id === lastId) return texts;
    }
  }
  return texts;
}

async function anchorNaming(store: Store, chain: string, number: number): Promise<Anchor | null> {
  const [row] = await store.read<{ anchor: number }>(sql`
    SELECT anchor FROM anchor_head WHERE chain = ${chain} AND number >= ${number}
    ORDER BY anchor LIMIT 1`);
  return row === undefined ? null : anchorOf(store, { after: row.anchor - 1 });
}
