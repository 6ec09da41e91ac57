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
import { marksOf, statement, type Statement } from '../statement';

/** Which change: its id is the service's, and unique within its monitor. */
export interface ChangeKey {
  monitorId: string;
  changeId: string;
}

/** A change with its acknowledgement and its trouble: null where there is none. */
interface ChangeRow extends ChangeKey {
  seenAt: string;
  sweep: string;
  foundAs: FoundAs;
  body: Uint8Array;
  whose: AcknowledgementMark['by'] | null;
  at: string;
  markedBy: string;
  toldAt: string | null;
  required: string | null;
  count: number | null;
  firstAt: string;
  trouble: Uint8Array;
}

type DeliveryRow = ChangeKey & DeliveryMark & { sink: string };

const keyColumns = 'monitor AS "monitorId", change AS "changeId"';

export function idOf({ monitorId, changeId }: ChangeKey): string {
  return JSON.stringify([monitorId, changeId]);
}

/** How changes stand, by `idOf`; those that nobody has seen are left out. */
export async function readFiles(
  store: SealedDatabase,
  keys: readonly ChangeKey[],
): Promise<Map<string, ChangeFile>> {
  if (keys.length === 0) return new Map();
  const rows = await store.read<ChangeRow>(
    withKeys(
      `SELECT c.monitor AS "monitorId", c.id AS "changeId", c.seen_at AS "seenAt", c.sweep,
              c.found_as AS "foundAs", c.body, a.whose, a.at, a.sweep AS "markedBy",
              a.told_at AS "toldAt", a.required, t.count, t.first_at AS "firstAt",
              t.body AS trouble
       FROM change c
       LEFT JOIN acknowledgement a ON a.monitor = c.monitor AND a.change = c.id
       LEFT JOIN change_trouble t ON t.monitor = c.monitor AND t.change = c.id
       WHERE (c.monitor, c.id)`,
      keys,
    ),
  );
  if (rows.length === 0) return new Map();
  const delivered = await store.read<DeliveryRow>(
    withKeys(
      `SELECT ${keyColumns}, sink, at, sweep, attempt, digest FROM delivery
       WHERE (monitor, change)`,
      rows,
    ),
  );
  const marks = grouped(delivered, ({ sink, at, sweep, attempt, digest }) => {
    return [sink, { at, sweep, attempt, ...(digest !== null && { digest }) }] as const;
  });
  return new Map(
    rows.map((row) => {
      const file: ChangeFile = {
        filed: filedOf(store, row),
        isNew: false,
        delivered: Object.fromEntries(marks.get(idOf(row)) ?? []),
        acknowledged: acknowledgedOf(row),
        trouble: troubleOf(store, row),
      };
      return [idOf(row), file];
    }),
  );
}

/** Of each change that has any: in order, by `idOf`. */
export async function readReviews(
  store: SealedDatabase,
  keys: readonly ChangeKey[],
): Promise<Map<string, ReviewMark[]>> {
  if (keys.length === 0) return new Map();
  const rows = await store.read<ChangeKey & { at: string; body: Uint8Array }>(
    withKeys(`SELECT ${keyColumns}, at, body FROM review WHERE (monitor, change)`, keys),
  );
  rows.sort((a, b) => a.at.localeCompare(b.at));
  return grouped(rows, ({ monitorId, changeId, at, body }) => {
    return store.opened(rowName('review', monitorId, changeId, at), body) as ReviewMark;
  });
}

function filedOf(store: SealedDatabase, row: ChangeRow): FiledChange {
  const { monitorId, changeId, seenAt, sweep, foundAs, body } = row;
  const told = store.opened(rowName('change', monitorId, changeId), body);
  return {
    monitorId,
    ...(told as Pick<FiledChange, 'change' | 'answer' | 'erased'>),
    foundAs,
    seenAt,
    sweep,
  };
}

function acknowledgedOf(row: ChangeRow): AcknowledgementMark | null {
  const { whose: by, at, markedBy: sweep, toldAt: acknowledgedAt, required: names } = row;
  if (by === null) return null;
  const required = names === null ? {} : { required: JSON.parse(names) as string[] };
  return { by, at, sweep, acknowledgedAt, ...required };
}

function troubleOf(store: SealedDatabase, row: ChangeRow): ChangeTrouble | null {
  const { monitorId, changeId, count, firstAt, trouble } = row;
  if (count === null) return null;
  const last = store.opened(rowName('change_trouble', monitorId, changeId), trouble);
  return { ...(last as Omit<ChangeTrouble, 'count' | 'firstAt'>), count, firstAt };
}

/** @param sql ends with the columns of the key */
function withKeys(sql: string, keys: readonly ChangeKey[]): Statement {
  const pairs = keys.map(({ monitorId, changeId }) => [monitorId, changeId]);
  return statement(`${sql} IN (VALUES ${marksOf(pairs)})`, pairs.flat());
}

function grouped<Row extends ChangeKey, T>(
  rows: readonly Row[],
  each: (row: Row) => T,
): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(idOf(row), [...(groups.get(idOf(row)) ?? []), each(row)]);
  return groups;
}
