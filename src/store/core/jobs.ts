import type { JobEnding, JobKind, JobStart } from '../../domain/job';
import { statement, type Statement } from '../sqlite/statement';
import type { SealedDatabase } from '../sealed-database';

export interface JobRow {
  id: string;
  kind: JobKind;
  /** Null before the end. */
  status: string | null;
  needsAttention: boolean;
  createdAt: string;
  /** Null before the end. */
  endedAt: string | null;
  /** Key of the record of what was asked for. */
  asked: string;
}

export interface JobFilter {
  kind?: JobKind;
  /** `open`: it has not ended. */
  status?: string;
  /** ISO 8601: created then or later. */
  since?: string;
  /** Keyed names: one that holds something about any of them. */
  subjects?: readonly string[];
  /** Keyed name. */
  label?: string;
  needsAttention?: true;
}

export interface JobPage {
  /** The newest first. */
  sort: 'created' | 'ended';
  limit: number;
  /** Id of the last job of the page before. */
  after?: string;
}

interface FoundRow extends Omit<JobRow, 'needsAttention'> {
  needsAttention: number;
}

const columns = `id, kind, status, needs_attention AS "needsAttention", created_at AS "createdAt",
  ended_at AS "endedAt", asked`;

/** The jobs of the installation, as lists and counts see them. */
export class JobRepository {
  readonly #store: SealedDatabase;

  constructor(store: SealedDatabase) {
    this.#store = store;
  }

  /** One page; what has not ended has no place by its end, and is left out there. */
  async list(filter: JobFilter, { sort, limit, after }: JobPage): Promise<JobRow[]> {
    const by = sort === 'created' ? 'created_at' : 'ended_at';
    const { conditions, parameters } = conditionsOf(filter);
    if (sort === 'ended') conditions.push('ended_at IS NOT NULL');
    if (after !== undefined) {
      conditions.push(`(${by}, id) < (SELECT ${by}, id FROM job WHERE id = ?)`);
      parameters.push(after);
    }
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const rows = await this.#store.read<FoundRow>(
      statement(`SELECT ${columns} FROM job ${where} ORDER BY ${by} DESC, id DESC LIMIT ?`, [
        ...parameters,
        limit,
      ]),
    );
    return rows.map(rowOf);
  }

  /** Null when there is none. */
  async get(id: string): Promise<JobRow | null> {
    const rows = await this.#store.read<FoundRow>(
      statement(`SELECT ${columns} FROM job WHERE id = ?`, [id]),
    );
    return rows[0] === undefined ? null : rowOf(rows[0]);
  }
}

function conditionsOf(filter: JobFilter): { conditions: string[]; parameters: unknown[] } {
  const conditions: string[] = [];
  const parameters: unknown[] = [];
  const add = (condition: string, ...values: unknown[]): void => {
    conditions.push(condition);
    parameters.push(...values);
  };
  const { kind, status, since, subjects, label, needsAttention } = filter;
  if (kind !== undefined) add('kind = ?', kind);
  if (status === 'open') add('status IS NULL');
  else if (status !== undefined) add('status = ?', status);
  if (since !== undefined) add('created_at >= ?', since);
  if (label !== undefined) add('label = ?', label);
  if (needsAttention) add('needs_attention = 1');
  if (subjects !== undefined) {
    const marks = subjects.map(() => '?').join(', ');
    add(`holder IN (SELECT holder FROM subject WHERE subject IN (${marks}))`, ...subjects);
  }
  return { conditions, parameters };
}

function rowOf(row: FoundRow): JobRow {
  return { ...row, needsAttention: row.needsAttention === 1 };
}

/** @param asked key of the record of what was asked for, in the folder that holds all of the job */
export function startJob({ id, kind, createdAt, label }: JobStart, asked: string): Statement {
  return statement(
    `INSERT INTO job (id, kind, label, holder, asked, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    [id, kind, label, asked.slice(0, asked.lastIndexOf('/')), asked, createdAt],
  );
}

/** @param when a person's decision about its rows may end a job again */
export function endJob(
  { id, status, needsAttention, endedAt }: JobEnding,
  when: 'unless ended' | 'always',
): Statement {
  return statement(
    `UPDATE job SET status = ?, needs_attention = ?, ended_at = ? WHERE id = ?
     ${when === 'always' ? '' : 'AND ended_at IS NULL'}`,
    [status, needsAttention ? 1 : 0, endedAt, id],
  );
}
