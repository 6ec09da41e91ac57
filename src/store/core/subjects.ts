import { Repository } from '../sealed/sealed-database';
import { inserts } from '../sealed/table-rows';
import { beginsWith, sql, type Statement } from '../statement';

/** Keyed name of a document: `IdKey.nameOf('document', ...)`. */
export type NameOf = (document: string) => string;

/**
 * Which holders (jobs, uploads, responses) have data about a subject. A subject has a keyed name, never the
 * document itself. Also indexed: uploads, operations and inputs with their jobs, and jobs with their batches.
 */
export class SubjectRepository extends Repository {
  /** Before the holder's data is stored, so that all of it can be found. */
  async add(holder: string, subjects: Iterable<string>): Promise<void> {
    for (const one of addSubjects(holder, subjects)) await this.store.commit([one]);
  }

  /** Holders with their lines about the subject; 0: elsewhere in the holder. */
  async lines(subject: string): Promise<Map<string, number[]>> {
    const rows = await this.store.read<{ holder: string; line: number }>(
      sql`SELECT holder, line FROM subject WHERE subject = ${subject} ORDER BY holder, line`,
    );
    const found = new Map<string, number[]>();
    for (const { holder, line } of rows) found.set(holder, [...(found.get(holder) ?? []), line]);
    return found;
  }

  /** Holders of each of these subjects. @param begin prefix of a holder */
  async holdersOf(subjects: Iterable<string>, begin = ''): Promise<Map<string, Set<string>>> {
    const rows = await this.store.readAmong<{ subject: string; holder: string }>(
      subjects,
      (some) => sql`SELECT DISTINCT subject, holder FROM subject
        WHERE subject IN ${some} AND ${beginsWith('holder', begin)}`,
    );
    const found = new Map<string, Set<string>>();
    for (const { subject, holder } of rows)
      found.set(subject, (found.get(subject) ?? new Set()).add(holder));
    return found;
  }

  /** Subjects of these holders, in order. @param begin prefix of a subject */
  async heldBy(holders: Iterable<string>, begin = ''): Promise<string[]> {
    const rows = await this.store.readAmong<{ subject: string }>(
      holders,
      (some) => sql`SELECT DISTINCT subject FROM subject
        WHERE holder IN ${some} AND ${beginsWith('subject', begin)}`,
    );
    return [...new Set(rows.map(({ subject }) => subject))].toSorted();
  }
}

/** For the transaction that stores the holder's data. */
export function addSubjects(holder: string, subjects: Iterable<string>): Statement[] {
  return addSubjectLines(
    holder,
    [...new Set(subjects)].map((subject) => ({ subject, line: 0 })),
  );
}

export function addSubjectLines(
  holder: string,
  lines: readonly { subject: string; line: number }[],
): Statement[] {
  return inserts(
    'subject',
    lines.map(({ subject, line }) => ({ subject, holder, line })),
  );
}

/** Subjects of a job: its input, named by its id before the instant, and keys of its files. */
export function requestedIn(id: string, input: unknown): string[] {
  const keys = JSON.stringify(input ?? null).matchAll(/"(inputs\/[^"]+)"/g);
  return [id.replace(/\/\d{8}T\w+$/, ''), ...Array.from(keys, ([, key = '']) => key)];
}
