import { insertInto, partsOf, rangeOf, statement, type Statement } from '../statement';
import type { SealedDatabase } from '../sealed-database';

/** The name of a document within the installation: `IdKey.nameOf('document', ...)`. */
export type NameOf = (document: string) => string;

/**
 * What holds something about a subject: a job, an upload, an answer. A subject goes by its keyed name,
 * never by the document itself.
 */
export class SubjectRepository {
  readonly #store: SealedDatabase;

  constructor(store: SealedDatabase) {
    this.#store = store;
  }

  /** Before what holds them is stored: nothing stands there that is not found. */
  async add(holder: string, subjects: Iterable<string>): Promise<void> {
    for (const one of addSubjects(holder, subjects)) await this.#store.commit([one]);
  }

  async holders(subject: string): Promise<Set<string>> {
    return new Set((await this.lines(subject)).keys());
  }

  /** Holders, each with the lines of it that tell of the subject; 0: something else in it does. */
  async lines(subject: string): Promise<Map<string, number[]>> {
    const rows = await this.#store.read<{ holder: string; line: number }>(
      statement('SELECT holder, line FROM subject WHERE subject = ? ORDER BY holder, line', [
        subject,
      ]),
    );
    const found = new Map<string, number[]>();
    for (const { holder, line } of rows) found.set(holder, [...(found.get(holder) ?? []), line]);
    return found;
  }

  /** Of the subjects that a holder tells of: those that another one tells of too, by its beginning. */
  async sharedBy(holder: string, others: string, own: ReadonlySet<string>): Promise<Set<string>> {
    const rows = await this.#store.read<{ subject: string; holder: string }>(
      statement(
        `SELECT DISTINCT a.subject, b.holder FROM subject a JOIN subject b ON b.subject = a.subject
         WHERE a.holder = ? AND b.holder >= ? AND b.holder < ? AND b.holder <> a.holder`,
        [holder, ...rangeOf(others)],
      ),
    );
    const shared = rows.filter((row) => !own.has(row.holder));
    return new Set(shared.map(({ subject }) => subject));
  }

  /** In order. */
  async heldBy(holder: string): Promise<string[]> {
    const rows = await this.#store.read<{ subject: string }>(
      statement('SELECT DISTINCT subject FROM subject WHERE holder = ? ORDER BY subject', [holder]),
    );
    return rows.map(({ subject }) => subject);
  }
}

/** For the transaction in which that is stored which tells of them. */
export function addSubjects(holder: string, subjects: Iterable<string>): Statement[] {
  return addSubjectLines(
    holder,
    [...new Set(subjects)].map((subject) => ({ subject, line: 0 })),
  );
}

/** As `addSubjects`, with the line of each. */
export function addSubjectLines(
  holder: string,
  lines: readonly { subject: string; line: number }[],
): Statement[] {
  const rows = lines.map(({ subject, line }) => [subject, holder, line]);
  return partsOf(rows).map((some) => insertInto('subject', ['subject', 'holder', 'line'], some));
}
