import type { WaitReason, WaitScope } from '../../../domain/attention';
import type { JobEnding, JobKind, OutputTerms } from '../../../domain/job';
import type { SealedDatabase } from '../../sealed/sealed-database';
import { raw, sql, type Statement } from '../../statement';

export interface JobRow {
  id: string;
  kind: JobKind;
  /** Folder of all its records. */
  folder: string;
  status: string | null;
  needsAttention: boolean;
  /** ISO 8601: since when it needs a person; null: it needs none. */
  attentionAt: string | null;
  /** Why an open job needs a person; null otherwise. */
  waitsFor: WaitReason | null;
  waitsAbout: WaitScope;
  label: string | null;
  createdAt: string;
  endedAt: string | null;
  input: unknown;
  /** Null: default. */
  output: OutputTerms | null;
}

export interface JobWithOutcome extends JobRow {
  outcome: unknown;
}

export interface StoredJob<I> {
  folder: string;
  record: I;
}

/** Of the same request: `running` prefers an open job, `waiting` one that needs a person, to the newest. */
export type Meant = 'newest' | 'running' | 'waiting';

export interface EndOfJob {
  folder: string;
  ending: JobEnding;
  outcome: unknown;
}

/** A job that has ended; `rows`: outcomes of its rows. */
export interface EndedJob {
  folder: string;
  id: string;
  endedAt: string;
  rows: number;
}

const ofFirstMark = (column: string): Statement => sql`CASE WHEN ended_at IS NULL THEN
  (SELECT ${raw(column)} FROM wait_mark WHERE wait_mark.folder = job.folder ORDER BY since, source LIMIT 1) END`;

const columns = sql`folder, id, kind, status, attention_at, label, created_at, ended_at, input, output,
  ${ofFirstMark('reason')} AS waits_for, ${ofFirstMark('about')} AS waits_about`;

export function jobRows(store: SealedDatabase, which: Statement): Promise<JobRow[]> {
  return found<JobRow>(store, which, columns);
}

export function jobsWithOutcome(
  store: SealedDatabase,
  which: Statement,
): Promise<JobWithOutcome[]> {
  return found<JobWithOutcome>(store, which, sql`${columns}, outcome`);
}

async function found<T extends JobRow>(
  store: SealedDatabase,
  which: Statement,
  those: Statement,
): Promise<T[]> {
  const rows = await store.select<T & { waitsAbout: string | null }>('job', which, those);
  return rows.map((row) => ({
    ...row,
    needsAttention: row.attentionAt !== null,
    waitsAbout: row.waitsAbout === null ? null : (JSON.parse(row.waitsAbout) as WaitScope),
  }));
}
