import type { AuditEntry } from '../../../domain/core/audit';
import type { ExpiredCursor } from '../../../domain/core/retention';
import type { JobEnding, JobKind, JobStart, OutputTerms, StopWord } from '../../../domain/job';
import { pagesOf } from '../../pages';
import { Sealed, rowName } from '../../sealed/seal';
import { Repository } from '../../sealed/sealed-database';
import { insertInto, replacing } from '../../sealed/table-rows';
import { beginsWith, joined, raw, sql, type Statement } from '../../statement';
import { addSubjects, requestedIn } from '../subjects';
import { pageOf, type JobFilter, type JobPage } from './job-filter';
import {
  jobRows,
  jobsWithOutcome,
  type EndOfJob,
  type EndedJob,
  type JobRow,
  type JobWithOutcome,
  type Meant,
  type StoredJob,
} from './job-rows';

const perPage = 2_000;

const newestFirst = sql`created_at DESC, id DESC`;
const inOrder: Readonly<Record<Meant, Statement>> = {
  newest: newestFirst,
  running: sql`CASE WHEN ended_at IS NULL THEN 0 ELSE 1 END, ${newestFirst}`,
  waiting: sql`CASE WHEN ended_at IS NULL AND attention_at IS NOT NULL THEN 0 ELSE 1 END, ${newestFirst}`,
};

/** Resolutions are jobs too: their ids and folders begin with those of the job. */
const isNoDecision = sql`kind <> 'decision'`;

/** All jobs: inputs and outcomes. A job has an id, and a folder with its records. */
export class JobRepository extends Repository {
  list(filter: JobFilter, page: JobPage): Promise<JobRow[]> {
    return jobRows(this.store, pageOf(filter, page));
  }

  /** Oldest first. @param after the last of the previous page; null: the first page */
  endedBefore(
    kind: JobKind,
    instant: string,
    after: ExpiredCursor | null,
    limit: number,
  ): Promise<EndedJob[]> {
    return this.store.read(sql`
      SELECT folder, id, ended_at,
        (SELECT count(*) FROM outcome WHERE outcome.job = folder) AS rows
      FROM job WHERE kind = ${kind} AND ended_at < ${instant}
        AND (ended_at, id) > (${after?.endedAt ?? ''}, ${after?.id ?? ''})
      ORDER BY ended_at, id LIMIT ${limit}`);
  }

  async get(id: string): Promise<JobRow | null> {
    return (await jobRows(this.store, sql`WHERE id = ${id}`))[0] ?? null;
  }

  /** By its id, or by an id without its last part, which selects among jobs of the same request. */
  async find(id: string, meant: Meant = 'newest'): Promise<JobWithOutcome | null> {
    const [exact] = await jobsWithOutcome(this.store, sql`WHERE id = ${id}`);
    const below = beginsWith('id', `${id}/`);
    const rest = sql`WHERE ${below} AND ${isNoDecision} ORDER BY ${inOrder[meant]} LIMIT 1`;
    return exact ?? (await jobsWithOutcome(this.store, rest))[0] ?? null;
  }

  /** Ids with these prefixes, without resolutions: the selected one first, then the newest. */
  async beginning(prefixes: readonly string[], meant: Meant, limit: number): Promise<string[]> {
    const begin = joined(
      prefixes.map((prefix) => sql`(${beginsWith('id', prefix)})`),
      ' OR ',
    );
    const rows = await this.store.read<{ id: string }>(sql`
      SELECT id FROM job WHERE (${begin}) AND ${isNoDecision} ORDER BY ${inOrder[meant]} LIMIT ${limit}`);
    return rows.map(({ id }) => id);
  }

  /** Jobs of a kind with data about a subject, newest first. */
  about(kind: JobKind, subject: string): Promise<JobWithOutcome[]> {
    const holders = sql`SELECT holder FROM subject WHERE subject = ${subject}`;
    return jobsWithOutcome(
      this.store,
      sql`WHERE kind = ${kind} AND folder IN (${holders}) ORDER BY ${newestFirst} LIMIT 100`,
    );
  }

  /** In pages, newest first. @param instant ISO 8601 of request or end */
  since(instant: string): AsyncGenerator<JobWithOutcome[]> {
    return pagesOf(perPage, (last: JobWithOutcome | undefined) => {
      const after = last ? sql`AND (created_at, id) < (${last.createdAt}, ${last.id})` : raw('');
      return jobsWithOutcome(
        this.store,
        sql`WHERE (created_at >= ${instant} OR ended_at >= ${instant}) AND ${isNoDecision} ${after}
          ORDER BY ${newestFirst} LIMIT ${perPage}`,
      );
    });
  }

  async named(ids: readonly string[]): Promise<Map<string, JobRow>> {
    const rows = ids.length === 0 ? [] : await jobRows(this.store, sql`WHERE id IN ${ids}`);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** The job of a workflow id at an instant: several may use it in turn. */
  async under(workflowId: string, at: string): Promise<JobRow | null> {
    const of = sql`${beginsWith('id', `${workflowId}/`)} AND ${isNoDecision}`;
    const last = sql`WHERE ${of} AND created_at <= ${at} ORDER BY ${newestFirst} LIMIT 1`;
    return (await jobRows(this.store, last))[0] ?? null;
  }

  input<I>(folder: string): Promise<I | null> {
    return this.#body<I>('input', folder);
  }

  outcome<O>(folder: string): Promise<O | null> {
    return this.#body<O>('outcome', folder);
  }

  /** Afterwards it can be started. False: the job exists, and stays. */
  start(
    folder: string,
    { id, kind, createdAt, label }: JobStart,
    input: unknown,
    entries: readonly AuditEntry[] = [],
  ): Promise<boolean> {
    const row = { folder, id, kind, label, createdAt, input };
    const held = addSubjects(folder, requestedIn(id, input));
    return this.store.changes(insertInto('job', [row]), entries, held);
  }

  /** False: the first outcome stays. */
  end(
    folder: string,
    ending: JobEnding,
    outcome: unknown,
    entries: readonly AuditEntry[] = [],
  ): Promise<boolean> {
    const first = sql`${ended({ folder, ending, outcome })} AND ended_at IS NULL`;
    return this.store.changes(first, entries);
  }

  /** A resolution of its rows changes the outcome: all in one transaction. */
  async endAgain(ends: readonly EndOfJob[]): Promise<void> {
    await this.store.commit(ends.map(ended));
  }

  /** Afterwards no claim of the job commits, whoever drives it. A cancellation is permanent. */
  async stop(folder: string, word: StopWord, entries: readonly AuditEntry[] = []): Promise<void> {
    const otherwise = word === 'paused' ? undefined : replacing('stop_mark', 'word');
    const mark = insertInto('stop_mark', [{ folder, word }], otherwise);
    await this.store.commit([{ lock: { name: folder, how: 'alone' }, ...mark }], entries);
  }

  async stopWord(folder: string): Promise<StopWord | null> {
    const [mark] = await this.store.read<{ word: StopWord }>(
      sql`SELECT word FROM stop_mark WHERE folder = ${folder}`,
    );
    return mark?.word ?? null;
  }

  /** A person has decided: it may resume. */
  async release(folder: string, word?: StopWord): Promise<void> {
    const only = word === undefined ? raw('') : sql`AND word = ${word}`;
    await this.store.commit([
      sql`DELETE FROM stop_mark WHERE folder = ${folder} ${only}`,
      sql`DELETE FROM wait_mark WHERE folder = ${folder}`,
      sql`UPDATE job SET attention_at = NULL WHERE folder = ${folder} AND ended_at IS NULL`,
    ]);
  }

  /** Jobs whose folders have this prefix, newest first. */
  async below<I>(prefix: string): Promise<StoredJob<I>[]> {
    return this.#inputs<I>(
      sql`${beginsWith('folder', prefix)} ORDER BY created_at DESC, folder DESC`,
    );
  }

  /** By folder name. @param endedSince for jobs that have ended: the first folder that counts */
  async last<I>(prefix: string, endedSince?: string): Promise<StoredJob<I> | null> {
    const isEnded =
      endedSince === undefined ? raw('') : sql`AND outcome IS NOT NULL AND folder >= ${endedSince}`;
    const last = sql`${beginsWith('folder', prefix)} ${isEnded} ORDER BY folder DESC LIMIT 1`;
    return (await this.#inputs<I>(last))[0] ?? null;
  }

  async putOutput(folder: string, output: OutputTerms): Promise<void> {
    const text = JSON.stringify(output);
    await this.store.commit([sql`UPDATE job SET output = ${text} WHERE folder = ${folder}`]);
  }

  /** Copies the setting of another job, if it has none. */
  async inheritOutput(id: string, from: string): Promise<void> {
    await this.store.commit([
      sql`UPDATE job SET output = (SELECT output FROM job WHERE id = ${from})
        WHERE id = ${id} AND output IS NULL`,
    ]);
  }

  /** For a job that never ran: another one replaces it. */
  async remove(folder: string): Promise<void> {
    await this.store.commit([sql`DELETE FROM job WHERE folder = ${folder}`]);
  }

  async #inputs<I>(which: Statement): Promise<StoredJob<I>[]> {
    const rows = await this.store.select<{ folder: string; input: I }>(
      'job',
      sql`WHERE ${isNoDecision} AND ${which}`,
      sql`folder, input`,
    );
    return rows.map(({ folder, input: record }) => ({ folder, record }));
  }

  async #body<T>(column: 'input' | 'outcome', folder: string): Promise<T | null> {
    const [row] = await this.store.select<Record<string, T | null>>(
      'job',
      sql`WHERE folder = ${folder}`,
      sql`folder, ${raw(column)}`,
    );
    return row?.[column] ?? null;
  }
}

function ended({ folder, ending, outcome }: EndOfJob): Statement {
  const { status, needsAttention, endedAt } = ending;
  const body = new Sealed(rowName('job', folder), outcome);
  return sql`UPDATE job SET status = ${status}, attention_at = ${needsAttention ? endedAt : null},
      ended_at = ${endedAt}, outcome = ${body} WHERE folder = ${folder}`;
}
