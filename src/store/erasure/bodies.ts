import { rowName } from '../seal';
import type { Store } from '../store';
import { marksOf, partsOf, statement, type Statement } from '../statement';

interface JobNames {
  holder: string;
  ended: number;
}

const ofJob = /^(.+)\/(input|outcome)$/;

/** Records by their keys, and with them what was asked of jobs and how they ended: `<folder>/input`, `<folder>/outcome`. */
export class StoredBodies {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** In order. */
  async list(prefix: string): Promise<string[]> {
    const begin = prefix.replace(/\/$/, '');
    const jobs = await this.#store.read<JobNames>(
      statement(
        `SELECT holder, CASE WHEN outcome IS NULL THEN 0 ELSE 1 END AS ended FROM job
         WHERE holder >= ? AND holder < ?`,
        [begin, `${begin}\u{10ffff}`],
      ),
    );
    const names = jobs.flatMap(({ holder, ended }) => [
      `${holder}/input`,
      ...(ended === 1 ? [`${holder}/outcome`] : []),
    ]);
    const own = names.filter((name) => name.startsWith(prefix));
    return [...(await this.#store.records.list(prefix)), ...own].toSorted();
  }

  async get(key: string): Promise<Buffer | null> {
    const [, folder, column] = ofJob.exec(key) ?? [];
    if (folder === undefined) return this.#store.records.get(key);
    const { jobs } = this.#store;
    const body = await (column === 'input' ? jobs.input(folder) : jobs.outcome(folder));
    return body === null ? null : Buffer.from(JSON.stringify(body));
  }

  async getJson<T>(key: string): Promise<T | null> {
    const body = await this.get(key);
    return body && (JSON.parse(body.toString('utf8')) as T);
  }

  /** With what was asked of it a job goes. */
  removal(keys: Iterable<string>): Statement[] {
    const all = [...keys];
    const folders = all.flatMap((key) => {
      const [, folder, column] = ofJob.exec(key) ?? [];
      return folder !== undefined && column === 'input' ? [folder] : [];
    });
    const records = all.filter((key) => !ofJob.test(key));
    const from = (table: string, column: string, values: readonly string[]): Statement[] =>
      partsOf(values).map((some) =>
        statement(`DELETE FROM ${table} WHERE ${column} IN ${marksOf([some])}`, some),
      );
    return [...from('job', 'holder', folders), ...from('record', 'key', records)];
  }

  async replacement(key: string, text: string): Promise<Statement> {
    const [, folder, column] = ofJob.exec(key) ?? [];
    if (folder === undefined) return this.#store.records.replacement(key, text);
    const body = Buffer.from(await this.#store.seal(rowName('job', folder), text));
    return statement(`UPDATE job SET ${column} = ? WHERE holder = ?`, [body, folder]);
  }
}
