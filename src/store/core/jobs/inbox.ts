import type { JobRepository } from './jobs';
import { decisionFolder, type DecisionRecord } from '../../../domain/core/decision';
import type { WaitReason, WaitScope } from '../../../domain/attention';
import type { JobKind } from '../../../domain/job';
import { rowName } from '../../sealed/seal';
import type { SealedDatabase } from '../../sealed/sealed-database';
import { statement } from '../../statement';
import { scopeOf, waitScope, waitsFor, type WaitCounts } from './job-filter';

/** A job that needs a person. */
export interface InboxRow {
  id: string;
  kind: JobKind;
  folder: string;
  /** Null: it is open and waits. */
  status: string | null;
  /** Null: it has ended. */
  waitsFor: WaitReason | null;
  waitsAbout: WaitScope;
  /** ISO 8601. */
  since: string;
  createdAt: string;
  /** Its shape depends on the kind. */
  input: unknown;
}

export interface InboxFilter {
  kind?: JobKind;
  /** ISO 8601: needs a person since then or later. */
  since?: string;
}

/** A job for a resolution. */
export interface FoundJob {
  folder: string;
  id: string;
  kind: JobKind;
  status: string | null;
  needsAttention: boolean;
  waitsFor: WaitReason | null;
  waitsAbout: WaitScope;
  /** ISO 8601; null: open. */
  endedAt: string | null;
  /** Keyed name. */
  label: string | null;
}

type Row = Omit<InboxRow, 'input' | 'waitsAbout'> & WaitCounts & { input: Uint8Array };

/** Jobs that need a person. */
export class InboxRepository {
  readonly #store: SealedDatabase;

  constructor(store: SealedDatabase) {
    this.#store = store;
  }

  /**
   * One page, newest first.
   *
   * @param after id of the last job of the page before
   */
  async list(filter: InboxFilter, limit: number, after?: string): Promise<InboxRow[]> {
    const { kind, since } = filter;
    const conditions = ['attention_at IS NOT NULL'];
    const parameters: unknown[] = [];
    const add = (condition: string, value: unknown): void => {
      conditions.push(condition);
      parameters.push(value);
    };
    if (kind !== undefined) add('kind = ?', kind);
    if (since !== undefined) add('attention_at >= ?', since);
    if (after !== undefined)
      add('(attention_at, id) < (SELECT attention_at, id FROM job WHERE id = ?)', after);
    const rows = await this.#store.read<Row>(
      statement(
        `SELECT holder AS folder, id, kind, status, ${waitsFor}, ${waitScope},
           attention_at AS since, created_at AS "createdAt", input
         FROM job WHERE ${conditions.join(' AND ')} ORDER BY attention_at DESC, id DESC LIMIT ?`,
        [...parameters, limit],
      ),
    );
    return rows.map(({ allowed, input, items, made, ...row }) => ({
      ...row,
      waitsAbout: scopeOf({ allowed, items, made }),
      input: this.#store.opened(rowName('job', row.folder), input),
    }));
  }

  /** Null: none. */
  async find(id: string): Promise<FoundJob | null> {
    const [row] = await this.#store.read<
      Omit<FoundJob, 'needsAttention' | 'waitsAbout'> & WaitCounts & { needed: number }
    >(
      statement(
        `SELECT holder AS folder, id, kind, status, ended_at AS "endedAt", label, ${waitsFor},
           ${waitScope},
           CASE WHEN attention_at IS NULL THEN 0 ELSE 1 END AS needed
         FROM job WHERE id = ?`,
        [id],
      ),
    );
    if (row === undefined) return null;
    const { allowed, items, made, needed, ...job } = row;
    const waitsAbout = scopeOf({ allowed, items, made });
    return { ...job, waitsAbout, needsAttention: needed === 1 };
  }

  /**
   * Why an open job needs a person, reported by the waiting workflow; the first of several counts. A job that has
   * ended does not wait.
   *
   * @param reason null: it no longer waits
   */
  async wait(
    folder: string,
    source: string,
    reason: WaitReason | null,
    at: string,
    about: WaitScope = null,
  ): Promise<void> {
    const counts =
      typeof about === 'object' && about !== null
        ? [about.rest, about.made, about.allowed]
        : [about, null, null];
    const marked =
      reason === null
        ? statement('DELETE FROM wait_mark WHERE holder = ? AND source = ?', [folder, source])
        : statement(
            `INSERT INTO wait_mark (holder, source, reason, since, item_count, made_count, allowed_count)
             SELECT holder, ?, ?, ?, CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)
             FROM job WHERE holder = ? AND ended_at IS NULL
             ON CONFLICT (holder, source) DO UPDATE SET reason = excluded.reason, since = excluded.since,
               item_count = excluded.item_count, made_count = excluded.made_count,
               allowed_count = excluded.allowed_count`,
            [source, reason, at, ...counts, folder],
          );
    const attention = statement(
      `UPDATE job SET attention_at = (SELECT min(since) FROM wait_mark WHERE holder = ?)
       WHERE holder = ? AND ended_at IS NULL`,
      [folder, folder],
    );
    await this.#store.commit([marked, attention]);
  }

  /** Open jobs that wait for this, and the reporting workflow. */
  waiting(reason: WaitReason): Promise<{ folder: string; source: string }[]> {
    return this.#store.read(
      statement(
        `SELECT wait_mark.holder AS folder, source FROM wait_mark
         JOIN job ON job.holder = wait_mark.holder WHERE reason = ? AND ended_at IS NULL`,
        [reason],
      ),
    );
  }

  /** Counts of open jobs and of jobs that need a person, by kind. */
  async backlog(): Promise<
    { kind: JobKind; open: number; attention: number; oldestAt: string | null }[]
  > {
    const rows = await this.#store.read<{
      kind: JobKind;
      open: number | string;
      attention: number | string;
      oldestAt: string | null;
    }>(
      statement(
        `SELECT kind, count(*) - count(ended_at) AS open, count(attention_at) AS attention,
           min(CASE WHEN ended_at IS NULL THEN created_at END) AS "oldestAt"
         FROM job WHERE ended_at IS NULL OR attention_at IS NOT NULL GROUP BY kind`,
      ),
    );
    return rows.map((row) => ({
      ...row,
      open: Number(row.open),
      attention: Number(row.attention),
    }));
  }

  /** A person has resolved a job that has ended. */
  async settle(folder: string): Promise<void> {
    await this.#store.commit([
      statement('UPDATE job SET attention_at = NULL WHERE holder = ? AND ended_at IS NOT NULL', [
        folder,
      ]),
    ]);
  }
}

interface WithJobs {
  jobs: JobRepository;
}

/** A resolution of the job of a folder; null: none. */
export function decisionOf(
  { jobs }: WithJobs,
  folder: string,
  number: number,
): Promise<DecisionRecord | null> {
  return jobs.input<DecisionRecord>(decisionFolder(folder, number));
}

/** All of them, in order. */
export async function decisionsOf(store: WithJobs, folder: string): Promise<DecisionRecord[]> {
  const found: DecisionRecord[] = [];
  for (let number = 1; ; number += 1) {
    const decision = await decisionOf(store, folder, number);
    if (decision === null) return found;
    found.push(decision);
  }
}
