import type { ChainHead } from '../../domain/core/audit';
import type { SealedDatabase } from '../sealed/sealed-database';
import { raw, sql } from '../statement';
import type { Link } from './link';

export const anchorChain = 'anchors';

export type Anchor = Link & { heads: ChainHead[] };

/** A head to be stored elsewhere: `<number>-<32 hex digits>`. */
export function headOf(number: number, hash: string): string {
  return `${number}-${hash.slice(0, 32)}`;
}

export function parseHead(text: string): { number: number; hash: string } | null {
  const [, number, hash] = /^([1-9]\d{0,7})-([0-9a-f]{32})$/.exec(text) ?? [];
  return number === undefined || hash === undefined ? null : { number: Number(number), hash };
}

/** The last anchor, or the first after a number, genuine or not. Null: none. */
export async function anchorOf(
  store: SealedDatabase,
  which: 'last' | { after: number },
): Promise<Anchor | null> {
  const order = which === 'last' ? 'DESC' : 'ASC';
  const [row] = await store.read<
    Omit<Link, 'text'>
  >(sql`SELECT number, at, prev, hash, mac FROM anchor WHERE number > ${which === 'last' ? 0 : which.after}
       ORDER BY number ${raw(order)} LIMIT 1`);
  if (row === undefined) return null;
  const rows = await store.read<{ chain: string; number: number; hash: string }>(
    sql`SELECT chain, number, hash FROM anchor_head WHERE anchor = ${row.number}`,
  );
  const heads = rows.map(({ chain, number, hash }): ChainHead => [chain, number, hash]);
  return { ...row, heads, text: textOf(heads) };
}

export function textOf(heads: readonly ChainHead[]): string {
  return JSON.stringify({ heads: heads.toSorted(([one], [other]) => (one < other ? -1 : 1)) });
}

/** The heads of the chains from one on, in order: one query for each, regardless of its length. */
export async function headsFrom(
  store: SealedDatabase,
  first: string,
): Promise<{ head: ChainHead; isAnchored: boolean }[]> {
  const rows = await store.read<{
    chain: string;
    number: number;
    hash: string;
    anchored: number;
  }>(sql`WITH RECURSIVE found (next) AS (
         SELECT min(chain) FROM event WHERE chain >= ${first}
         UNION ALL
         SELECT (SELECT min(chain) FROM event WHERE chain > found.next) FROM found
         WHERE found.next IS NOT NULL
       ) SELECT e.chain, e.number, e.hash,
           (SELECT count(*) FROM anchor_head h WHERE h.chain = e.chain AND h.number = e.number
              AND h.hash = e.hash) AS anchored
         FROM found JOIN event e ON e.chain = found.next
           AND e.number = (SELECT max(number) FROM event WHERE chain = found.next)
         ORDER BY e.chain`);
  return rows.map(({ chain, number, hash, anchored }) => {
    return { head: [chain, number, hash], isAnchored: anchored > 0 };
  });
}
