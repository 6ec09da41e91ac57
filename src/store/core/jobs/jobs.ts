import type { AuditEntry } from '../../../domain/core/audit';
import type { JobEnding, JobKind, JobStart, OutputTerms, StopWord } from '../../../domain/job';
import type { ExpiredCursor } from '../../../domain/core/retention';
import { Sealed, rowName } from '../../sealed/seal';
import type {
  EndOfJob,
  EndedJob,
  JobPage,
  JobRow,
  JobWithOutcome,
  Meant,
  StoredJob,
} from './job-rows';
import { conditionsOf, waitsFor, type JobFilter } from './job-filter';
import type { SealedDatabase } from '../../sealed/sealed-database';
import { insertInto, rangeOf, replacing, statement, type Statement } from '../../statement';
import { addSubjects, requestedIn } from '../subjects';

interface FoundRow extends Omit<JobRow, 'needsAttention' | 'input' | 'output' | 'folder'> {
  holder: string;
  attentionAt: string | null;
  input: Uint8Array;
  output: string | null;
}

type WholeRow = FoundRow & { outcome: Uint8Array | null };
type BodyRow = Pick<FoundRow, 'holder'> & { body: Uint8Array | null };

const selected = `holder, id, kind, status, attention_at AS "attentionAt",
  created_at AS "createdAt", ended_at AS "endedAt", input, output, ${waitsFor}`;

const isMeant: Readonly<Record<Exclude<Meant, 'newest'>, string>> = {
  running: 'ended_at IS NULL',
  waiting: 'ended_at IS NULL AND attention_at IS NOT NULL',
};

function meantFirst(meant: Meant): string {
  const newest = 'created_at DESC, id DESC';
  return meant === 'newest' ? newest : `CASE WHEN ${isMeant[meant]} THEN 0 ELSE 1 END, ${newest}`;
}

/** All jobs: inputs and outcomes. A job has an id, and a folder with its records. */
export class JobRepository {
  readonly #store: SealedDatabase;

  constructor(store: SealedDatabase) {
    this.#store = store;
  }

  /** One page; sorted by end, it omits open jobs. */
  async list(filter: JobFilter, { sort, limit, after }: JobPage): Promise<JobRow[]> {
    const by = sort === 'created' ? 'created_at' : 'ended_at';
    const conditions = conditionsOf(filter);
    if (sort === 'ended') conditions.push(statement('ended_at IS NOT NULL'));
    if (after !== undefined) {
      conditions.push(statement(`(${by}, id) < (SELECT ${by}, id FROM job WHERE id = ?)`, [after]));
    }
    const where = conditions.map(({ sql }, at) => `${at === 0 ? 'WHERE' : 'AND'} ${sql}`);
    const rows = await this.#store.read<FoundRow>(
      statement(
        `SELECT ${selected} FROM job ${where.join(' ')} ORDER BY ${by} DESC, id DESC LIMIT ?`,
        [...conditions.flatMap(({ parameters }) => parameters), limit],
      ),
    );
    return rows.map((row) => this.#rowOf(row));
  }

  /**
   * Jobs of a kind that ended before an instant, oldest first.
   *
   * @param after the last of the previous page; null: the first page
   */
  endedBefore(
    kind: JobKind,
    instant: string,
    after: ExpiredCursor | null,
    limit: number,
  ): Promise<EndedJob[]> {
    return this.#store.read(
      statement(
        `SELECT holder AS folder, id, ended_at AS "endedAt",
           (SELECT count(*) FROM outcome WHERE outcome.job = holder) AS rows
         FROM job WHERE kind = ? AND ended_at < ? AND (ended_at, id) > (?, ?)
         ORDER BY ended_at, id LIMIT ?`,
        [kind, instant, after?.endedAt ?? '', after?.id ?? '', limit],
      ),
    );
  }

  /** Null: none. */
  async get(id: string): Promise<JobRow | null> {
    const rows = await this.#store.read<FoundRow>(
      statement(`SELECT ${selected} FROM job WHERE id = ?`, [id]),
    );
    return rows[0] === undefined ? null : this.#rowOf(rows[0]);
  }

  /**
   * By its id, or by an id without its last part, which selects among jobs of the same request. Ids of resolutions
   * begin with the job's id and are skipped.
   */
  async find(id: string, meant: Meant = 'newest'): Promise<JobWithOutcome | null> {
    const all = `SELECT ${selected}, outcome FROM job`;
    const exact = statement(`${all} WHERE id = ?`, [id]);
    const below = statement(
      `${all} WHERE id >= ? AND id < ? AND kind <> 'decision' ORDER BY ${meantFirst(meant)} LIMIT 1`,
      rangeOf(`${id}/`),
    );
    for (const query of [exact, below]) {
      const [row] = await this.#store.read<WholeRow>(query);
      if (row !== undefined) return this.#whole(row);
    }
    return null;
  }

  /** Ids with these prefixes, without resolutions: the selected one first, then the newest. */
  async beginning(prefixes: readonly string[], meant: Meant, limit: number): Promise<string[]> {
    const bounds = prefixes.map(() => '(id >= ? AND id < ?)').join(' OR ');
    const rows = await this.#store.read<{ id: string }>(
      statement(
        `SELECT id FROM job WHERE (${bounds}) AND kind <> 'decision'
         ORDER BY ${meantFirst(meant)} LIMIT ?`,
        [...prefixes.flatMap(rangeOf), limit],
      ),
    );
    return rows.map(({ id }) => id);
  }

  /** Jobs of a kind with data about a subject, newest first. */
  async about(kind: JobKind, subject: string): Promise<JobWithOutcome[]> {
    const rows = await this.#store.read<WholeRow>(
      statement(
        `SELECT ${selected}, outcome FROM job
         WHERE kind = ? AND holder IN (SELECT holder FROM subject WHERE subject = ?)
         ORDER BY created_at DESC, id DESC LIMIT 100`,
        [kind, subject],
      ),
    );
    return rows.map((row) => this.#whole(row));
  }

  /** Null: no such job. */
  input<I>(folder: string): Promise<I | null> {
    return this.#body<I>('input', folder);
  }

  /** Null before its end. */
  outcome<O>(folder: string): Promise<O | null> {
    return this.#body<O>('outcome', folder);
  }

  /**
   * Afterwards it can be started; an existing job stays.
   *
   * @param entries its audit entries
   * @returns whether it is new
   */
  async start(
    folder: string,
    { id, kind, createdAt, label }: JobStart,
    input: unknown,
    entries: readonly AuditEntry[] = [],
  ): Promise<boolean> {
    const columns = ['holder', 'id', 'kind', 'label', 'created_at', 'input'];
    const row = [folder, id, kind, label, createdAt, new Sealed(rowName('job', folder), input)];
    const held = addSubjects(folder, requestedIn(id, input));
    return this.#store.changes(insertInto('job', columns, [row]), entries, held);
  }

  /**
   * The first outcome stays.
   *
   * @param entries its audit entries
   * @returns whether this one was stored
   */
  async end(
    folder: string,
    ending: JobEnding,
    outcome: unknown,
    entries: readonly AuditEntry[] = [],
  ): Promise<boolean> {
    const { sql, parameters } = ended({ folder, ending, outcome });
    return this.#store.changes(statement(`${sql} AND ended_at IS NULL`, parameters), entries);
  }

  /** A resolution of its rows changes the outcome: all in one transaction. */
  async endAgain(ends: readonly EndOfJob[]): Promise<void> {
    await this.#store.commit(ends.map(ended));
  }

  /**
   * Afterwards no claim of the job commits, whoever drives it. A cancellation is permanent.
   *
   * @param entries its audit entries
   */
  async stop(folder: string, word: StopWord, entries: readonly AuditEntry[] = []): Promise<void> {
    const otherwise = word === 'paused' ? undefined : replacing(['holder'], ['word']);
    const mark = insertInto('stop_mark', ['holder', 'word'], [[folder, word]], otherwise);
    await this.#store.commit([{ lock: { name: folder, how: 'alone' }, ...mark }], entries);
  }

  /** Null: it is not stopped. */
  async stopWord(folder: string): Promise<StopWord | null> {
    const sql = 'SELECT word FROM stop_mark WHERE holder = ?';
    const [mark] = await this.#store.read<{ word: StopWord }>(statement(sql, [folder]));
    return mark?.word ?? null;
  }

  /**
   * A person has decided: it may resume.
   *
   * @param word default: any
   */
  async release(folder: string, word?: StopWord): Promise<void> {
    const only = word === undefined ? '' : 'AND word = ?';
    const parameters = word === undefined ? [folder] : [folder, word];
    await this.#store.commit([
      statement(`DELETE FROM stop_mark WHERE holder = ? ${only}`, parameters),
      statement('DELETE FROM wait_mark WHERE holder = ?', [folder]),
      statement('UPDATE job SET attention_at = NULL WHERE holder = ? AND ended_at IS NULL', [
        folder,
      ]),
    ]);
  }

  /** Jobs whose folders have this prefix, newest first. */
  async below<I>(prefix: string): Promise<StoredJob<I>[]> {
    const rows = await this.#store.read<BodyRow>(
      statement(
        `SELECT holder, input AS body FROM job
         WHERE holder >= ? AND holder < ? AND kind <> 'decision'
         ORDER BY created_at DESC, holder DESC`,
        rangeOf(prefix),
      ),
    );
    return rows.map((row) => this.#opened<I>(row)).filter((job) => job !== null);
  }

  /**
   * The last by folder name, without resolutions; null: none.
   *
   * @param endedSince for jobs that have ended: the first folder that counts
   */
  async last<I>(prefix: string, endedSince?: string): Promise<StoredJob<I> | null> {
    const isEnded = endedSince === undefined ? '' : 'AND outcome IS NOT NULL AND holder >= ?';
    const [row] = await this.#store.read<BodyRow>(
      statement(
        `SELECT holder, input AS body FROM job
         WHERE holder >= ? AND holder < ? AND kind <> 'decision' ${isEnded}
         ORDER BY holder DESC LIMIT 1`,
        [...rangeOf(prefix), ...(endedSince === undefined ? [] : [endedSince])],
      ),
    );
    return row === undefined ? null : this.#opened<I>(row);
  }

  /** Changes how its results are written. */
  async putOutput(folder: string, output: OutputTerms): Promise<void> {
    await this.#store.commit([
      statement('UPDATE job SET output = ? WHERE holder = ?', [JSON.stringify(output), folder]),
    ]);
  }

  /** Copies the setting of another job, if it has none. */
  async inheritOutput(id: string, from: string): Promise<void> {
    await this.#store.commit([
      statement(
        `UPDATE job SET output = (SELECT output FROM job WHERE id = ?)
         WHERE id = ? AND output IS NULL`,
        [from, id],
      ),
    ]);
  }

  /** For a job that never ran: another one replaces it. */
  async remove(folder: string): Promise<void> {
    await this.#store.commit([statement('DELETE FROM job WHERE holder = ?', [folder])]);
  }

  async #body<T>(column: 'input' | 'outcome', folder: string): Promise<T | null> {
    const [row] = await this.#store.read<BodyRow>(
      statement(`SELECT holder, ${column} AS body FROM job WHERE holder = ?`, [folder]),
    );
    return row === undefined ? null : (this.#opened<T>(row)?.record ?? null);
  }

  #opened<T>({ holder: folder, body }: BodyRow): StoredJob<T> | null {
    if (body === null) return null;
    return { folder, record: this.#store.opened(rowName('job', folder), body) as T };
  }

  #whole({ outcome, ...row }: WholeRow): JobWithOutcome {
    const body = this.#opened<unknown>({ holder: row.holder, body: outcome });
    return { ...this.#rowOf(row), outcome: body?.record ?? null };
  }

  #rowOf({ holder, input, output, attentionAt, ...row }: FoundRow): JobRow {
    return {
      ...row,
      folder: holder,
      needsAttention: attentionAt !== null,
      input: this.#store.opened(rowName('job', holder), input),
      output: output === null ? null : (JSON.parse(output) as OutputTerms),
    };
  }
}

function ended({ folder, ending, outcome }: EndOfJob): Statement {
  const { status, needsAttention, endedAt } = ending;
  return statement(
    'UPDATE job SET status = ?, attention_at = ?, ended_at = ?, outcome = ? WHERE holder = ?',
    [
      status,
      needsAttention ? endedAt : null,
      endedAt,
      new Sealed(rowName('job', folder), outcome),
      folder,
    ],
  );
}
