import { statement } from './statement';
import type { Store } from './store';

/** Rows of one statement. */
const perStatement = 200;

/**
 * What holds something about a subject: a job, an upload, an answer. A subject goes by its keyed name,
 * never by the document itself.
 */
export class SubjectRepository {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Before what is told of them is stored: so that nothing stands there that is not found. */
  async add(holder: string, subjects: Iterable<string>): Promise<void> {
    const names = [...new Set(subjects)];
    for (let from = 0; from < names.length; from += perStatement) {
      const some = names.slice(from, from + perStatement);
      await this.#store.commit([
        statement(
          `INSERT INTO subject (subject, holder) VALUES ${some.map(() => '(?, ?)').join(', ')} ON CONFLICT DO NOTHING`,
          some.flatMap((name) => [name, holder]),
        ),
      ]);
    }
  }

  /** Holders of each of these subjects that has any. */
  async holdersOf(subjects: Iterable<string>): Promise<Map<string, Set<string>>> {
    const holders = new Map<string, Set<string>>();
    for (const subject of subjects) {
      const rows = await this.#store.read<{ holder: string }>(
        statement('SELECT holder FROM subject WHERE subject = ?', [subject]),
      );
      if (rows.length > 0) holders.set(subject, new Set(rows.map(({ holder }) => holder)));
    }
    return holders;
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
