import { documentsIn, documentsInText } from '../../domain/held-documents';
import type {
  AcknowledgementMark,
  ChangeFile,
  ChangeTrouble,
  DeliveryMark,
  FoundAs,
  ReviewMark,
  SweepMark,
  ToldChange,
} from '../../domain/monitors/kept';
import type { SealedDatabase } from '../sealed-database';
import { insertInto, marksOf, partsOf, replacing, statement, type Statement } from '../statement';
import { addSubjects } from '../core/subjects';
import { rowName } from '../seal';
import { readFiles, readReviews } from './change-rows';
import { addMonitor, holderOf } from './monitors';

/** What a change could not be brought through now. */
export type NewTrouble = Omit<ChangeTrouble, 'count' | 'firstAt'> & { changeId: string };

const key = ['monitor', 'change'];
const markColumns = ['whose', 'at', 'sweep', 'told_at', 'required'];

/**
 * Changes of monitors: each is stored as it was first seen, then marked as delivered to a sink, then as
 * acknowledged. The marks of a page are one transaction each, and the first of a kind stays.
 */
export class ChangeRepository {
  readonly #store: SealedDatabase;
  readonly #nameOf: (document: string) => string;

  /** @param nameOf the keyed name of a document: by it an erasure finds who holds something about it */
  constructor(store: SealedDatabase, nameOf: (document: string) => string) {
    this.#store = store;
    this.#nameOf = nameOf;
  }

  /**
   * Stores what nobody has seen before, and reads how the rest stands. In the order given.
   *
   * @throws RangeError when an id cannot be stored as it is
   */
  async file(
    monitorId: string,
    told: readonly ToldChange[],
    by: SweepMark & { foundAs: FoundAs },
  ): Promise<ChangeFile[]> {
    const ids = told.map(({ change }) => storable(change.changeId));
    const files = await this.files(monitorId, ids);
    for (const some of partsOf(told.filter(({ change }) => !files.has(change.changeId)))) {
      for (const file of await this.#insert(monitorId, some, by)) {
        files.set(file.filed.change.changeId, file);
      }
    }
    return ids.map((id) => files.get(id) as ChangeFile);
  }

  /** How changes of a monitor stand, by their ids; those that nobody has seen are left out. */
  async files(monitorId: string, changeIds: readonly string[]): Promise<Map<string, ChangeFile>> {
    const keys = changeIds.map((changeId) => ({ monitorId, changeId }));
    const found = await readFiles(this.#store, keys);
    return new Map([...found.values()].map((file) => [file.filed.change.changeId, file]));
  }

  /** Null: nobody has seen it. */
  async get(monitorId: string, changeId: string): Promise<ChangeFile | null> {
    return (await this.files(monitorId, [changeId])).get(changeId) ?? null;
  }

  async putDelivered(
    monitorId: string,
    sink: string,
    marks: readonly { changeId: string; mark: DeliveryMark }[],
  ): Promise<void> {
    const columns = [...key, 'sink', 'at', 'sweep', 'attempt', 'digest'];
    const rows = marks.map(({ changeId, mark: { at, sweep, attempt, digest } }) => {
      return [monitorId, changeId, sink, at, sweep, attempt, digest];
    });
    for (const some of partsOf(rows)) {
      await this.#store.commit([insertInto('delivery', columns, some)]);
    }
  }

  /** The first mark stays, but for one that the service did not know any more, and does again. */
  async putAcknowledged(
    monitorId: string,
    marks: readonly { changeId: string; mark: AcknowledgementMark }[],
  ): Promise<void> {
    const rows = marks.map(({ changeId, mark: { by, at, sweep, acknowledgedAt, required } }) => {
      const names = required && JSON.stringify(required);
      return [monitorId, changeId, by, at, sweep, instantOrNull(acknowledgedAt), names];
    });
    const again = `${replacing(key, markColumns)}
      WHERE acknowledgement.whose = 'gone' AND excluded.whose <> 'gone'`;
    for (const some of partsOf(rows)) {
      const put = insertInto('acknowledgement', [...key, ...markColumns], some, again);
      await this.#store.commit([put]);
    }
  }

  /**
   * Counts what changes could not be brought through, each one once.
   *
   * @returns each as it stands now, with its count, in the order given
   */
  async countTroubles(
    monitorId: string,
    troubles: readonly NewTrouble[],
  ): Promise<{ changeId: string; trouble: ChangeTrouble }[]> {
    const counted = new Map<string, { count: number; firstAt: string }>();
    for (const some of partsOf(troubles)) {
      const rows = await Promise.all(
        some.map(async ({ changeId, ...last }) => {
          const name = rowName('change_trouble', monitorId, changeId);
          return [monitorId, changeId, 1, last.lastAt, await this.#store.sealed(name, last)];
        }),
      );
      const count = insertInto(
        'change_trouble',
        [...key, 'count', 'first_at', 'body'],
        rows,
        `${replacing(key, ['body'])}, count = change_trouble.count + 1
         RETURNING change AS "changeId", count, first_at AS "firstAt"`,
      );
      const [result] = await this.#store.commit([count]);
      for (const row of result?.rows ?? []) {
        const { changeId, ...its } = row as { changeId: string; count: number; firstAt: string };
        counted.set(changeId, its);
      }
    }
    return troubles.map(({ changeId, ...last }) => {
      const its = counted.get(changeId) ?? { count: 1, firstAt: last.lastAt };
      return { changeId, trouble: { ...last, ...its } };
    });
  }

  /** The service tells them as acknowledged, and they are due to nobody. */
  async clearTroubles(monitorId: string, changeIds: readonly string[]): Promise<void> {
    for (const some of partsOf(changeIds.map((changeId) => [monitorId, changeId]))) {
      const sql = `DELETE FROM change_trouble WHERE (monitor, change) IN (VALUES ${marksOf(some)})`;
      await this.#store.commit([statement(sql, some.flat())]);
    }
  }

  async putReview(monitorId: string, changeId: string, review: ReviewMark): Promise<void> {
    const row = [monitorId, changeId, review.at];
    const body = await this.#store.sealed(rowName('review', ...row), review);
    await this.#store.commit([
      ...this.#subjects(monitorId, documentsIn(review.note)),
      insertInto('review', [...key, 'at', 'body'], [[...row, body]]),
    ]);
  }

  /** In order. */
  async reviews(monitorId: string, changeId: string): Promise<ReviewMark[]> {
    return [...(await readReviews(this.#store, [{ monitorId, changeId }])).values()].flat();
  }

  /** @returns them as they stand: somebody else may have stored some of them meanwhile */
  async #insert(
    monitorId: string,
    told: readonly ToldChange[],
    { at: seenAt, sweep, foundAs }: SweepMark & { foundAs: FoundAs },
  ): Promise<ChangeFile[]> {
    const documents = new Set<string>();
    const rows = await Promise.all(
      told.map(async ({ change, answer }) => {
        const text = JSON.stringify(answer) ?? 'null';
        for (const one of documentsInText(text)) documents.add(one);
        const { changeId, severity } = change;
        const name = rowName('change', monitorId, changeId);
        const body = await this.#store.sealed(name, { change, answer: answer ?? null });
        return [monitorId, changeId, seenAt, sweep, foundAs, severity, body];
      }),
    );
    const columns = ['monitor', 'id', 'seen_at', 'sweep', 'found_as', 'severity', 'body'];
    const results = await this.#store.commit([
      addMonitor(monitorId),
      ...this.#subjects(monitorId, documents),
      insertInto('change', columns, rows),
    ]);
    if (results.at(-1)?.changes === rows.length) {
      return told.map(({ change, answer }) => ({
        filed: { monitorId, change, answer, foundAs, seenAt, sweep },
        isNew: true,
        delivered: {},
        acknowledged: null,
        trouble: null,
      }));
    }
    const ids = told.map(({ change }) => change.changeId);
    return [...(await this.files(monitorId, ids)).values()].map((file) => {
      const { seenAt: at, sweep: by } = file.filed;
      return { ...file, isNew: at === seenAt && by === sweep };
    });
  }

  #subjects(monitorId: string, documents: Iterable<string>): Statement[] {
    return addSubjects(holderOf(monitorId), [...documents].map(this.#nameOf));
  }
}

/** What is no instant may be anything: it does not stand in the clear. */
function instantOrNull(told: string | null): string | null {
  const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?$/;
  return told !== null && shape.test(told) ? told : null;
}

/** Databases change half of a pair of surrogates, and cut a text at a NUL: it would come back as another id. */
function storable(changeId: string): string {
  if (/\p{Surrogate}|\0/u.test(changeId)) throw new RangeError('an id that no database can hold');
  return changeId;
}
