import { insertInto, partsOf, statement, type Statement } from '../statement';
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

  /** Before what is told of them is stored: so that nothing stands there that is not found. */
  async add(holder: string, subjects: Iterable<string>): Promise<void> {
    for (const one of addSubjects(holder, subjects)) await this.#store.commit([one]);
  }

  async holders(subject: string): Promise<Set<string>> {
    const rows = await this.#store.read<{ holder: string }>(
      statement('SELECT holder FROM subject WHERE subject = ?', [subject]),
    );
    return new Set(rows.map(({ holder }) => holder));
  }

  /** Holders of each of these subjects that has any. */
  async holdersOf(subjects: Iterable<string>): Promise<Map<string, Set<string>>> {
    const found = new Map<string, Set<string>>();
    for (const subject of subjects) {
      const holders = await this.holders(subject);
      if (holders.size > 0) found.set(subject, holders);
    }
    return found;
  }

  /** In order. */
  async heldBy(holder: string): Promise<string[]> {
    const rows = await this.#store.read<{ subject: string }>(
      statement('SELECT subject FROM subject WHERE holder = ? ORDER BY subject', [holder]),
    );
    return rows.map(({ subject }) => subject);
  }

  async removeSubject(subject: string): Promise<void> {
    await this.#store.commit([statement('DELETE FROM subject WHERE subject = ?', [subject])]);
  }

  async removeHolder(holder: string): Promise<void> {
    await this.#store.commit([statement('DELETE FROM subject WHERE holder = ?', [holder])]);
  }
}

/** For the transaction in which that is stored which tells of them. */
export function addSubjects(holder: string, subjects: Iterable<string>): Statement[] {
  const rows = [...new Set(subjects)].map((subject) => [subject, holder]);
  return partsOf(rows).map((some) => insertInto('subject', ['subject', 'holder'], some));
}
