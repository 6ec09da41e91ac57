import { groupBy } from '../../domain/core/group-by';
import type {
  AcknowledgementMark,
  ChangeFile,
  ChangeTrouble,
  DeliveryMark,
  FiledChange,
  FoundAs,
  ReviewMark,
} from '../../domain/monitors/kept';
import { rowName } from '../seal';
import type { SealedDatabase } from '../sealed-database';
import { marksOf, statement } from '../statement';

/** Which change: its id is the service's, and unique within its monitor. */
export interface ChangeKey {
  monitorId: string;
  changeId: string;
}

export function idOf({ monitorId, changeId }: ChangeKey): string {
  return JSON.stringify([monitorId, changeId]);
}

/** Of a change or of a digest. Null: it has none. */
export interface TroubleRow {
  monitorId: string;
  about: string;
  count: number | null;
  firstAt: string;
  trouble: Uint8Array;
}

interface ChangeRow extends TroubleRow {
  seenAt: string;
  sweep: string;
  foundAs: FoundAs;
  body: Uint8Array;
}

/** By the name of the sink; `gone` counts until there is an acknowledgement. */
type Marks = Record<string, DeliveryMark> &
  Partial<Record<'acknowledged' | 'gone', AcknowledgementMark>>;

/** How changes stand, in the order given; those that nobody has seen are left out. */
export async function readFiles(
  store: SealedDatabase,
  keys: readonly ChangeKey[],
): Promise<ChangeFile[]> {
  if (keys.length === 0) return [];
  const pairs = pairsOf(keys);
  const rows = await store.read<ChangeRow>(
    statement(
      `SELECT c.monitor AS "monitorId", c.id AS about, c.seen_at AS "seenAt", c.sweep,
              c.found_as AS "foundAs", c.body, t.count, t.first_at AS "firstAt", t.body AS trouble
       FROM change c LEFT JOIN trouble t ON t.monitor = c.monitor AND t.about = c.id
       WHERE (c.monitor, c.id) IN (VALUES ${marksOf(pairs)})`,
      pairs.flat(),
    ),
  );
  const found = rows.map((row) => ({ ...row, changeId: row.about }));
  const marks = await readOf<{ name: string; at: string; sweep: string; details: string }>(
    store,
    'name, at, sweep, details FROM change_mark',
    found,
  );
  const files = new Map<string, ChangeFile>();
  for (const row of found) {
    const id = idOf(row);
    const its = (marks.get(id) ?? []).map(({ name, at, sweep, details }) => {
      return [name, { at, sweep, ...(JSON.parse(details) as object) }] as const;
    });
    const { acknowledged, gone, ...delivered } = Object.fromEntries(its) as Marks;
    const { monitorId, changeId, seenAt, sweep, foundAs } = row;
    const told = store.opened(rowName('change', monitorId, changeId), row.body);
    files.set(id, {
      filed: { ...(told as FiledChange), monitorId, foundAs, seenAt, sweep },
      isNew: false,
      delivered,
      acknowledged: acknowledged ?? gone ?? null,
      trouble: openTrouble(store, row),
    });
  }
  return keys.flatMap((key) => files.get(idOf(key)) ?? []);
}

/** Of each change that has any: in order, by `idOf`. */
export async function readReviews(
  store: SealedDatabase,
  keys: readonly ChangeKey[],
): Promise<Map<string, ReviewMark[]>> {
  const rows = await readOf<{ at: string; body: Uint8Array }>(store, 'at, body FROM review', keys);
  const opened = ({ monitorId, changeId, at, body }: ReviewRow): ReviewMark =>
    store.opened(rowName('review', monitorId, changeId, at), body) as ReviewMark;
  return new Map([...rows].map(([id, its]) => [id, its.map(opened)]));
}

export function openTrouble(store: SealedDatabase, row: TroubleRow): ChangeTrouble | null {
  const { monitorId, about, count, firstAt, trouble } = row;
  if (count === null) return null;
  const last = store.opened(rowName('trouble', monitorId, about), trouble);
  return { ...(last as ChangeTrouble), count, firstAt };
}

type ReviewRow = ChangeKey & { at: string; body: Uint8Array };

/** Rows about changes, the earliest first, by `idOf`. */
async function readOf<Row>(
  store: SealedDatabase,
  what: string,
  keys: readonly ChangeKey[],
): Promise<Map<string, (ChangeKey & Row)[]>> {
  if (keys.length === 0) return new Map();
  const pairs = pairsOf(keys);
  const rows = await store.read<ChangeKey & Row>(
    statement(
      `SELECT monitor AS "monitorId", change AS "changeId", ${what}
       WHERE (monitor, change) IN (VALUES ${marksOf(pairs)}) ORDER BY at`,
      pairs.flat(),
    ),
  );
  return groupBy(rows, idOf);
}

function pairsOf(keys: readonly ChangeKey[]): [string, string][] {
  return keys.map(({ monitorId, changeId }) => [monitorId, changeId]);
}
