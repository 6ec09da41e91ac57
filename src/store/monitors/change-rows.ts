import { groupBy } from '../../domain/core/group-by';
import type {
  AcknowledgementMark,
  ChangeFile,
  DeliveryFailure,
  DeliveryMark,
  StoredChange,
  ReviewMark,
} from '../../domain/monitors/stored';
import { Repository } from '../sealed/sealed-database';
import { SealedTable } from '../sealed/sealed-table';
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

/** Columns of a change. */
type Seen = Pick<StoredChange, 'seenAt' | 'sweep' | 'foundAs'> & { monitor: string; id: string };

interface MarkRow extends ChangeKey {
  name: string;
  at: string;
  sweep: string;
  details: string;
}

/** The sealed rows about changes. */
export class ChangeRows extends Repository {
  protected readonly changes = new SealedTable<Omit<StoredChange, keyof Seen>, Seen>(
    this.store,
    'change',
  );
  /** The last delivery failure of changes and digests. */
  protected readonly failures = new SealedTable<
    Omit<DeliveryFailure, 'count' | 'firstAt'>,
    { monitor: string; about: string; count: number; firstAt: string }
  >(this.store, 'trouble');
  protected readonly reviews = new SealedTable<ReviewMark, { monitor: string; change: string }>(
    this.store,
    'review',
  );

  /** Changes in the order given, without unknown ones. */
  protected async filesOf(keys: readonly ChangeKey[]): Promise<ChangeFile[]> {
    if (keys.length === 0) return [];
    const pairs = keys.map(({ monitorId, changeId }) => [monitorId, changeId]);
    const rows = await this.changes.read([], { where: sql`(monitor, id) IN (VALUES ${pairs})` });
    if (rows.length === 0) return [];
    const failures = await this.failuresAmong(sql`(monitor, about) IN (VALUES ${pairs})`);
    const marks = groupBy(
      await this.store.read<MarkRow>(sql`
        SELECT monitor AS "monitorId", change AS "changeId", name, at, sweep, details
        FROM change_mark WHERE (monitor, change) IN (VALUES ${pairs}) ORDER BY at`),
      idOf,
    );
    const files = new Map<string, ChangeFile>();
    for (const { monitor: monitorId, id: changeId, seenAt, sweep, foundAs, body } of rows) {
      const id = idOf({ monitorId, changeId });
      const its = (marks.get(id) ?? []).map(({ name, details, at, sweep: by }) => {
        return [name, { at, sweep: by, ...(JSON.parse(details) as object) }] as const;
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
  async failuresAmong(where: Statement): Promise<Map<string, DeliveryFailure>> {
    const rows = await this.failures.read([], { where });
    return new Map(
      rows.map(({ monitor, about, count, firstAt, body }) => {
        return [idOf({ monitorId: monitor, changeId: about }), { ...body, count, firstAt }];
      }),
    );
  }
}
