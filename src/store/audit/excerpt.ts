import type { AuditExcerpt, ExcerptLink } from '../../domain/core/audit-excerpt';
import { pagesOf } from '../pages';
import { statement } from '../statement';
import type { Store } from '../store';
import { anchorOf, type Anchor } from './anchors';
import { entryOf, linkOf, perLook, selectEvents, type EventRow } from './event';
import { beginningOf } from './link';
import { named, numbersIn } from './numbers';

/**
 * What the trail says of some jobs, with the links between, and the anchors that name the chains: whoever has
 * it can tell that nothing of it was changed or left out since those anchors, and needs no key.
 *
 * @param from ISO 8601: the first of the records was written then or later
 * @param to the last of them is this one
 */
export async function excerptOf(
  store: Store,
  jobs: ReadonlySet<string>,
  { from, last }: { from: string; last: string },
): Promise<AuditExcerpt> {
  const chains = new Map<string, { first: number; links: ExcerptLink[] }>();
  const looks = pagesOf<EventRow>(perLook, (row) =>
    store.read(
      selectEvents('at >= ? AND (at, chain, number) > (?, ?, ?) ORDER BY at, chain, number', [
        from,
        row?.at ?? '',
        row?.chain ?? '',
        row?.number ?? 0,
      ]),
    ),
  );
  const names = new Map<string, string>();
  let isOver = false;
  for await (const rows of looks) {
    const texts = rows.map((row) => linkOf(store, row)?.text ?? null);
    const nameIn = await named(
      store,
      texts.filter((text) => text !== null),
    );
    for (const [index, { at, chain, hash, number, prev }] of rows.entries()) {
      const text = texts[index] ?? null;
      const entry = text === null ? null : entryOf(nameIn(text));
      const isMeant = jobs.has(entry?.work ?? '');
      const found = chains.get(chain) ?? (isMeant ? { first: number, links: [] } : null);
      if (found === null) continue;
      chains.set(chain, found);
      found.links.push({ number, at, prev, hash, text: isMeant ? text : null });
      if (!isMeant || text === null) continue;
      for (const one of numbersIn(text)) names.set(one, nameIn(one));
      if (entry?.id === last) isOver = true;
    }
    if (isOver) break;
  }
  const known = [...names]
    .filter(([one, name]) => one !== name)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  const excerpt: AuditExcerpt = { names: Object.fromEntries(known), chains: [], anchors: [] };
  for (const [chain, { links }] of [...chains].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const meant = links.findLastIndex(({ text }) => text !== null);
    const anchor = await anchorNaming(store, chain, links[meant]?.number ?? 0);
    const head = anchor?.heads.find(([name]) => name === chain)?.[1] ?? links[meant]?.number ?? 0;
    const kept = links.filter(({ number }) => number <= head);
    kept.push(...(await linksBetween(store, chain, kept.at(-1)?.number ?? 0, head)));
    excerpt.chains.push({ chain, beginning: beginningOf(store.id, chain), links: kept });
    if (anchor === null || excerpt.anchors.some(({ number }) => number === anchor.number)) continue;
    const { at, hash, number, prev, text } = anchor;
    excerpt.anchors.push({ number, at, prev, hash, text });
  }
  return excerpt;
}

/** The first anchor that names a chain so far or farther; null: none does yet. */
async function anchorNaming(store: Store, chain: string, number: number): Promise<Anchor | null> {
  const [row] = await store.read<{ anchor: number }>(
    statement(
      'SELECT min(anchor) AS anchor FROM anchor_head WHERE chain = ? AND number >= ? HAVING min(anchor) IS NOT NULL',
      [chain, number],
    ),
  );
  return row === undefined ? null : anchorOf(store, { after: row.anchor - 1 });
}

/** Nothing of what they tell. */
async function linksBetween(
  store: Store,
  chain: string,
  after: number,
  last: number,
): Promise<ExcerptLink[]> {
  const rows = await store.read<Omit<ExcerptLink, 'text'>>(
    statement(
      'SELECT number, at, prev, hash FROM event WHERE chain = ? AND number > ? AND number <= ? ORDER BY number',
      [chain, after, last],
    ),
  );
  return rows.map((row) => ({ ...row, text: null }));
}
