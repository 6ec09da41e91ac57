import { groupBy } from '../../domain/core/group-by';
import type {
  AcknowledgementMark,
  ChangeFile,
  DeliveryFailure,
  DeliveryMark,
  StoredChange,
  ReviewMark,
} from '../../domain/monitors/stored';
import type { SealedDatabase } from '../sealed/sealed-database';
import { SealedTable } from '../sealed/sealed-table';
import { marksOf, statement, type Statement } from '../statement';

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
export class ChangeRows {
  readonly changes: SealedTable<Omit<StoredChange, keyof Seen>, Seen>;
  /** The last delivery failure of changes and digests. */
  readonly failures: SealedTable<
    Omit<DeliveryFailure, 'count' | 'firstAt'>,
    { monitor: string; about: string; count: number; firstAt: string }
  >;
  readonly reviews: SealedTable<ReviewMark, { monitor: string; change: string }>;
  readonly #store: SealedDatabase;

  constructor(store: SealedDatabase) {
    const columns = ['seen_at', 'sweep', 'found_as', 'severity'];
    this.#store = store;
    this.changes = new SealedTable(store, 'change', ['monitor', 'id'], columns);
    this.failures = new SealedTable(store, 'trouble', ['monitor', 'about'], ['count', 'first_at']);
    this.reviews = new SealedTable(store, 'review', ['monitor', 'change', 'at']);
  }

  /** Changes in the order given, without unknown ones. */
  async files(keys: readonly ChangeKey[]): Promise<ChangeFile[]> {
    if (keys.length === 0) return [];
    const rows = await this.changes.read([], { where: amongKeys('monitor, id', keys) });
    if (rows.length === 0) return [];
    const among = amongKeys('monitor, change', keys);
    const failures = await this.failuresAmong(amongKeys('monitor, about', keys));
    const marks = groupBy(
      await this.#store.read<MarkRow>(
        statement(
          `SELECT monitor AS "monitorId", change AS "changeId", name, at, sweep, details
           FROM change_mark WHERE ${among.sql} ORDER BY at`,
          among.parameters,
        ),
      ),
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

  /** Reviews by `idOf`, in order. */
  async reviewsOf(keys: readonly ChangeKey[]): Promise<Map<string, ReviewMark[]>> {
    if (keys.length === 0) return new Map();
    const where = amongKeys('monitor, change', keys);
    const found = new Map<string, ReviewMark[]>();
    for (const { monitor, change, body } of await this.reviews.read([], { where, order: 'at' })) {
      const id = idOf({ monitorId: monitor, changeId: change });
      found.set(id, [...(found.get(id) ?? []), body]);
    }
    return found;
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

function amongKeys(columns: string, keys: readonly ChangeKey[]): Statement {
  const pairs = keys.map(({ monitorId, changeId }) => [monitorId, changeId]);
  return statement(`(${columns}) IN (VALUES ${marksOf(pairs)})`, pairs.flat());
}
