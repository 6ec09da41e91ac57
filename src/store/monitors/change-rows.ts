import { groupBy } from '../../domain/core/group-by';
import type {
  AcknowledgementMark,
  ChangeFile,
  DeliveryFailure,
  DeliveryMark,
  StoredChange,
  SweepMark,
} from '../../domain/monitors/stored';
import type { SealedDatabase } from '../sealed/sealed-database';
import { sql, type Statement } from '../statement';

/** Key of a change: the service's id, unique within its monitor. */
export interface ChangeKey {
  monitorId: string;
  changeId: string;
}

export function idOf({ monitorId, changeId }: ChangeKey): string {
  return JSON.stringify([monitorId, changeId]);
}

/** By sink; `gone` counts until there is an acknowledgement. */
type Marks = Record<string, DeliveryMark> &
  Partial<Record<'acknowledged' | 'gone', AcknowledgementMark>>;

/** A change, digest, mark or note as a row. */
type RowOf<Body, Columns> = ChangeKey & Columns & { body: Body };
type ChangeRow = RowOf<
  Pick<StoredChange, 'change' | 'answer'>,
  Omit<StoredChange, 'change' | 'answer'>
>;
type FailureRow = RowOf<
  Omit<DeliveryFailure, 'count' | 'firstAt'>,
  Pick<DeliveryFailure, 'count' | 'firstAt'>
>;
type MarkRow = ChangeKey & SweepMark & { name: string; details: object };

/** Changes in the order given, without unknown ones. */
export async function filesOf(
  store: SealedDatabase,
  keys: readonly ChangeKey[],
): Promise<ChangeFile[]> {
  if (keys.length === 0) return [];
  const those = among(keys);
  const rows = await store.select<ChangeRow>('change', sql`WHERE ${those}`);
  if (rows.length === 0) return [];
  const failures = await failuresAmong(store, those);
  const marks = groupBy(
    await store.select<MarkRow>('change_mark', sql`WHERE ${those} ORDER BY at`),
    idOf,
  );
  const files = new Map<string, ChangeFile>();
  for (const row of rows) {
    const { monitorId, seenAt, sweep, foundAs, body } = row;
    const id = idOf(row);
    const its = (marks.get(id) ?? []).map(({ name, details, at, sweep: by }) => {
      return [name, { at, sweep: by, ...details }] as const;
    });
    const { acknowledged, gone, ...delivered } = Object.fromEntries(its) as Marks;
    files.set(id, {
      stored: { ...body, monitorId, foundAs, seenAt, sweep },
      isNew: false,
      delivered,
      acknowledged: acknowledged ?? gone ?? null,
      failure: failures.get(id) ?? null,
    });
  }
  return keys.flatMap((key) => files.get(idOf(key)) ?? []);
}

/** Failures by `idOf`, of changes and digests. */
export async function failuresAmong(
  store: SealedDatabase,
  where: Statement,
): Promise<Map<string, DeliveryFailure>> {
  const rows = await store.select<FailureRow>('trouble', sql`WHERE ${where}`);
  return new Map(
    rows.map((row) => [idOf(row), { ...row.body, count: row.count, firstAt: row.firstAt }]),
  );
}

/** Condition for rows about these changes. */
export function among(keys: readonly ChangeKey[]): Statement {
  const pairs = keys.map(({ monitorId, changeId }) => [monitorId, changeId]);
  return sql`(monitor_id, change_id) IN (VALUES ${pairs})`;
}
