import type { AuditEntry } from '../../domain/core/audit';
import { documentsIn, documentsInText } from '../../domain/core/documents/held-documents';
import type {
  AcknowledgementMark,
  ChangeFile,
  DeliveryFailure,
  DeliveryMark,
  FoundAs,
  NewDeliveryFailure,
  ReviewMark,
  SweepMark,
  ReportedChange,
} from '../../domain/monitors/stored';
import type { SealedDatabase } from '../sealed/sealed-database';
import { insertInto, marksOf, partsOf, replacing, statement } from '../statement';
import type { NameOf } from '../core/subjects';
import { ChangeRows } from './change-rows';
import { addMonitor, subjectsOf } from './monitors';

interface CountedFailure {
  about: string;
  count: number;
  firstAt: string;
}

/**
 * Changes of monitors: each is stored as it was first seen, then marked as delivered to a sink, then as
 * acknowledged. The marks of a page are one transaction each, and the first of a kind stays.
 */
export class ChangeRepository {
  readonly #store: SealedDatabase;
  readonly #nameOf: NameOf;
  readonly #rows: ChangeRows;

  /** @param nameOf the keyed name of a document: by it an erasure finds who holds something about it */
  constructor(store: SealedDatabase, nameOf: NameOf) {
    this.#store = store;
    this.#nameOf = nameOf;
    this.#rows = new ChangeRows(store);
  }

  /**
   * Stores what nobody has seen before, and reads how the rest stands. In the order given.
   *
   * @throws RangeError when an id cannot be stored as it is
   */
  async file(
    monitorId: string,
    reported: readonly ReportedChange[],
    by: SweepMark & { foundAs: FoundAs },
  ): Promise<ChangeFile[]> {
    const ids = reported.map(({ change }) => storable(change.changeId));
    const files = await this.files(monitorId, ids);
    for (const some of partsOf(reported.filter(({ change }) => !files.has(change.changeId)))) {
      for (const file of await this.#insert(monitorId, some, by)) {
        files.set(file.stored.change.changeId, file);
      }
    }
    return ids.map((id) => files.get(id) as ChangeFile);
  }

  /** How changes of a monitor stand, by their ids; those that nobody has seen are left out. */
  async files(monitorId: string, changeIds: readonly string[]): Promise<Map<string, ChangeFile>> {
    const keys = changeIds.map((changeId) => ({ monitorId, changeId }));
    const files = await this.#rows.files(keys);
    return new Map(files.map((file) => [file.stored.change.changeId, file]));
  }

  /** Null: nobody has seen it. */
  async get(monitorId: string, changeId: string): Promise<ChangeFile | null> {
    return (await this.files(monitorId, [changeId])).get(changeId) ?? null;
  }

  /** Of these changes: acknowledged, with all these sinks, and without any failure since. */
  async settled(
    monitorId: string,
    changeIds: readonly string[],
    sinks: readonly string[],
  ): Promise<Set<string>> {
    const found = new Set<string>();
    const names = ['acknowledged', ...sinks];
    for (const some of partsOf(changeIds)) {
      const rows = await this.#store.read<{ change: string }>(
        statement(
          `SELECT change FROM change_mark
           WHERE monitor = ? AND change IN ${marksOf([some])} AND name IN ${marksOf([names])}
             AND NOT EXISTS (SELECT 1 FROM trouble WHERE trouble.monitor = ? AND about = change)
           GROUP BY change HAVING count(*) = ${names.length}`,
          [monitorId, ...some, ...names, monitorId],
        ),
      );
      for (const { change } of rows) found.add(change);
    }
    return found;
  }

  putDelivered(
    monitorId: string,
    sink: string,
    marks: readonly { changeId: string; mark: DeliveryMark }[],
  ): Promise<void> {
    return this.#mark(
      monitorId,
      marks.map((one) => ({ ...one, name: sink })),
    );
  }

  /** @param entries what the audit trail tells of each, in the same transaction */
  putAcknowledged(
    monitorId: string,
    marks: readonly { changeId: string; mark: AcknowledgementMark }[],
    entries: readonly AuditEntry[] = [],
  ): Promise<void> {
    const reported = marks.map(({ changeId, mark }) => {
      const acknowledgedAt = instantOrNull(mark.acknowledgedAt);
      const name = mark.by === 'gone' ? 'gone' : 'acknowledged';
      return { changeId, name, mark: { ...mark, acknowledgedAt } };
    });
    return this.#mark(monitorId, reported, entries);
  }

  /**
   * Counts what changes or digests could not be brought through, each one once.
   *
   * @returns each as it stands now, with its count, in the order given
   */
  async countFailures(
    monitorId: string,
    failures: readonly NewDeliveryFailure[],
  ): Promise<{ changeId: string; failure: DeliveryFailure }[]> {
    const counted = `${replacing(['monitor', 'about'], ['body'])}, count = trouble.count + 1
      RETURNING about, count, first_at AS "firstAt"`;
    const rows = failures.map(({ changeId, ...last }) => {
      return [monitorId, changeId, 1, last.lastAt, last];
    });
    const counts = new Map<string, { count: number; firstAt: string }>();
    for (const some of this.#rows.failures.insert(rows, counted)) {
      const [result] = await this.#store.commit([some]);
      for (const { about, ...count } of (result?.rows ?? []) as CountedFailure[])
        counts.set(about, count);
    }
    return failures.map(({ changeId, ...last }) => {
      const { count = 1, firstAt = last.lastAt } = counts.get(changeId) ?? {};
      return { changeId, failure: { ...last, count, firstAt } };
    });
  }

  /** The service tells them as acknowledged, and they are due to nobody; or a digest was told. */
  async clearFailures(monitorId: string, ids: readonly string[]): Promise<void> {
    for (const some of partsOf(ids)) {
      const sql = `DELETE FROM trouble WHERE monitor = ? AND about IN ${marksOf([some])}`;
      await this.#store.commit([statement(sql, [monitorId, ...some])]);
    }
  }

  async putReview(monitorId: string, changeId: string, review: ReviewMark): Promise<void> {
    await this.#store.commit([
      ...subjectsOf(monitorId, documentsIn(review.note), this.#nameOf),
      ...this.#rows.reviews.insert([[monitorId, changeId, review.at, review]]),
    ]);
  }

  /** The first of its name stays. */
  async #mark(
    monitorId: string,
    marks: readonly { changeId: string; name: string; mark: SweepMark }[],
    entries: readonly AuditEntry[] = [],
  ): Promise<void> {
    const rows = marks.map(({ changeId, name, mark: { at, sweep, ...details } }) => {
      return [monitorId, changeId, name, at, sweep, JSON.stringify(details)];
    });
    const columns = ['monitor', 'change', 'name', 'at', 'sweep', 'details'];
    const entriesOf = partsOf(entries);
    for (const [index, some] of partsOf(rows).entries()) {
      await this.#store.commit([insertInto('change_mark', columns, some)], entriesOf[index]);
    }
  }

  /** @returns them as they stand: somebody else may have stored some of them meanwhile */
  async #insert(
    monitorId: string,
    reported: readonly ReportedChange[],
    { at: seenAt, sweep, foundAs }: SweepMark & { foundAs: FoundAs },
  ): Promise<ChangeFile[]> {
    const documents = new Set<string>();
    const rows = reported.map(({ change, answer }) => {
      const text = JSON.stringify(answer) ?? 'null';
      for (const one of documentsInText(text)) documents.add(one);
      const { changeId, severity } = change;
      const body = { change, answer: answer ?? null };
      return [monitorId, changeId, seenAt, sweep, foundAs, severity, body];
    });
    const results = await this.#store.commit([
      addMonitor(monitorId),
      ...subjectsOf(monitorId, documents, this.#nameOf),
      ...this.#rows.changes.insert(rows),
    ]);
    if (results.at(-1)?.changes === rows.length) {
      return reported.map(({ change, answer }) => ({
        stored: { monitorId, change, answer, foundAs, seenAt, sweep },
        isNew: true,
        delivered: {},
        acknowledged: null,
        failure: null,
      }));
    }
    const ids = reported.map(({ change }) => change.changeId);
    return [...(await this.files(monitorId, ids)).values()].map((file) => {
      const { seenAt: at, sweep: by } = file.stored;
      return { ...file, isNew: at === seenAt && by === sweep };
    });
  }
}

/** What is no instant may be anything: it does not stand in the clear. */
function instantOrNull(reported: string | null): string | null {
  const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?$/;
  return reported !== null && shape.test(reported) ? reported : null;
}

/** Databases change half of a pair of surrogates, and cut a text at a NUL: it would come back as another id. */
function storable(changeId: string): string {
  if (/\p{Surrogate}|\0/u.test(changeId)) throw new RangeError('an id that no database can hold');
  return changeId;
}
