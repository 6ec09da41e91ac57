import { insertInto, marksOf, partsOf, rangeOf, statement, type Statement } from '../statement';
import type { SealedDatabase } from '../sealed/sealed-database';

/** The name of a document within the installation: `IdKey.nameOf('document', ...)`. */
export type NameOf = (document: string) => string;

/**
 * What holds something about a subject: a job, an upload, an answer. A subject goes by its keyed name,
 * never by the document itself. By their keys stand here too: uploads, operations and what was asked for,
 * with the jobs that are of them, and jobs, with the batches that asked for them.
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

  /** Holders of each of these subjects that has any. @param begin of such a holder */
  async holdersOf(subjects: Iterable<string>, begin = ''): Promise<Map<string, Set<string>>> {
    const found = new Map<string, Set<string>>();
    for (const some of partsOf([...subjects])) {
      const rows = await this.#store.read<{ subject: string; holder: string }>(
        statement(
          `SELECT DISTINCT subject, holder FROM subject
           WHERE subject IN ${marksOf([some])} AND holder >= ? AND holder < ?`,
          [...some, ...rangeOf(begin)],
        ),
      );
      for (const { subject, holder } of rows)
        found.set(subject, (found.get(subject) ?? new Set()).add(holder));
    }
    return found;
  }

  /** What any of these holders tells of, in order. @param begin of what is meant */
  async heldBy(holders: Iterable<string>, begin = ''): Promise<string[]> {
    const found = new Set<string>();
    for (const some of partsOf([...holders])) {
      const rows = await this.#store.read<{ subject: string }>(
        statement(
          `SELECT DISTINCT subject FROM subject
           WHERE holder IN ${marksOf([some])} AND subject >= ? AND subject < ?`,
          [...some, ...rangeOf(begin)],
        ),
      );
      for (const { subject } of rows) found.add(subject);
    }
    return [...found].toSorted();
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

/** Of a job: what was asked, which its id says before the instant, and keys of files that it was made of. */
export function requestedIn(id: string, input: unknown): string[] {
  const keys = JSON.stringify(input ?? null).matchAll(/"(inputs\/[^"]+)"/g);
  return [id.replace(/\/\d{8}T\w+$/, ''), ...Array.from(keys, ([, key = '']) => key)];
}
