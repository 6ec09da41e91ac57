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
import { insertInto, inserts, replacing } from '../sealed/table-rows';
import { partsOf, sql } from '../statement';
import { filesOf } from './change-rows';
import { MonitorTable, addMonitor, subjectsOf } from './monitors';

/**
 * Changes of monitors: each is stored as first observed, then marked as delivered to a sink, then as acknowledged.
 * The marks of a page are one transaction each, and the first of a kind stays.
 */
export class ChangeRepository extends MonitorTable {
  /** Stores new changes, and reads the others. @throws RangeError for an id that cannot be stored */
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

  async files(monitorId: string, changeIds: readonly string[]): Promise<Map<string, ChangeFile>> {
    const keys = changeIds.map((changeId) => ({ monitorId, changeId }));
    const files = await filesOf(this.store, keys);
    return new Map(files.map((file) => [file.stored.change.changeId, file]));
  }

  async get(monitorId: string, changeId: string): Promise<ChangeFile | null> {
    return (await this.files(monitorId, [changeId])).get(changeId) ?? null;
  }

  /** Which of these changes are acknowledged, delivered to all these sinks, and without a failure since. */
  async settled(
    monitorId: string,
    changeIds: readonly string[],
    sinks: readonly string[],
  ): Promise<Set<string>> {
    const found = new Set<string>();
    const names = ['acknowledged', ...sinks];
    for (const some of partsOf(changeIds)) {
      const rows = await this.store.read<{ changeId: string }>(sql`
        SELECT change_id FROM change_mark
        WHERE monitor_id = ${monitorId} AND change_id IN ${some} AND name IN ${names}
          AND change_id NOT IN (SELECT change_id FROM trouble WHERE monitor_id = ${monitorId})
        GROUP BY change_id HAVING count(*) = ${names.length}`);
      for (const { changeId } of rows) found.add(changeId);
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

  /** @param entries the audit entries of each, in the same transaction */
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

  /** Counts failed changes or digests. @returns each with its new count, in the order given */
  async countFailures(
    monitorId: string,
    failures: readonly NewDeliveryFailure[],
  ): Promise<{ changeId: string; failure: DeliveryFailure }[]> {
    const counted = `${replacing('trouble', 'body')}, count = trouble.count + 1
      RETURNING change_id, count, first_at`;
    const rows = failures.map(({ changeId, ...body }) => {
      return { monitorId, changeId, count: 1, firstAt: body.lastAt, body };
    });
    const counts = new Map<string, { count: number; firstAt: string }>();
    for (const some of inserts('trouble', rows, counted)) {
      const [result] = await this.store.commit([some]);
      for (const { changeId, ...count } of (result?.rows ?? []) as typeof rows)
        counts.set(changeId, count);
    }
    return failures.map(({ changeId, ...last }) => {
      const count = counts.get(changeId) ?? { count: 1, firstAt: last.lastAt };
      return { changeId, failure: { ...last, ...count } };
    });
  }

  /** The service reports them as acknowledged and no sink is pending; or a digest was delivered. */
  async clearFailures(monitorId: string, ids: readonly string[]): Promise<void> {
    for (const some of partsOf(ids)) {
      await this.store.commit([
        sql`DELETE FROM trouble WHERE monitor_id = ${monitorId} AND change_id IN ${some}`,
      ]);
    }
  }

  async putReview(monitorId: string, changeId: string, review: ReviewMark): Promise<void> {
    await this.store.commit([
      ...subjectsOf(monitorId, documentsIn(review.note), this.nameOf),
      insertInto('review', [{ monitorId, changeId, at: review.at, body: review }]),
    ]);
  }

  /** The first of its name stays. */
  async #mark(
    monitorId: string,
    marks: readonly { changeId: string; name: string; mark: SweepMark }[],
    entries: readonly AuditEntry[] = [],
  ): Promise<void> {
    const rows = marks.map(({ changeId, name, mark: { at, sweep, ...details } }) => {
      return { monitorId, changeId, name, at, sweep, details };
    });
    const entriesOf = partsOf(entries);
    for (const [index, some] of inserts('change_mark', rows).entries())
      await this.store.commit([some], entriesOf[index]);
  }

  /** @returns the stored ones: another process may have stored some meanwhile */
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
      return { monitorId, changeId, seenAt, sweep, foundAs, severity, body };
    });
    const results = await this.store.commit([
      addMonitor(monitorId),
      ...subjectsOf(monitorId, documents, this.nameOf),
      ...inserts('change', rows),
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

/** Other text may be anything: it must not be stored in the clear. */
function instantOrNull(reported: string | null): string | null {
  const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?$/;
  return reported !== null && shape.test(reported) ? reported : null;
}

/** Databases alter lone surrogates and cut a text at a NUL: the id would come back changed. */
function storable(changeId: string): string {
  if (/\p{Surrogate}|\0/u.test(changeId)) throw new RangeError('an id that no database can hold');
  return changeId;
}
