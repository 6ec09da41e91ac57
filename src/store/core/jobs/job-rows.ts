import type { WaitReason, WaitScope } from '../../../domain/attention';
import type { JobEnding, JobKind, OutputTerms } from '../../../domain/job';
import { rowName } from '../../sealed/seal';
import type { SealedDatabase } from '../../sealed/sealed-database';
import { raw, sql, type Statement } from '../../statement';

export interface JobRow {
  id: string;
  kind: JobKind;
  /** Folder of all its records. */
  folder: string;
  /** Null before its end. */
  status: string | null;
  needsAttention: boolean;
  /** ISO 8601: since when it needs a person; null: it needs none. */
  attentionAt: string | null;
  /** Why an open job needs a person; null otherwise. */
  waitsFor: WaitReason | null;
  waitsAbout: WaitScope;
  /** Keyed name. */
  label: string | null;
  createdAt: string;
  /** Null before its end. */
  endedAt: string | null;
  /** Its shape depends on the kind. */
  input: unknown;
  /** Null: default. */
  output: OutputTerms | null;
}

/** A job with its outcome. */
export interface JobWithOutcome extends JobRow {
  /** Null before its end. */
  outcome: unknown;
}

/** The input of a job, and its folder. */
export interface StoredJob<I> {
  folder: string;
  record: I;
}

/**
 * Selects among jobs of the same request: `running` prefers an open one, `waiting` an open one that needs a person,
 * to the newest.
 */
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

type FoundRow = Omit<JobRow, 'waitsAbout' | 'input' | 'output'> & {
  waitsAbout: string | null;
  input: Uint8Array;
  output: string | null;
  outcome: Uint8Array | null;
};

const ofFirstMark = (column: string): Statement => sql`CASE WHEN ended_at IS NULL THEN
  (SELECT ${raw(column)} FROM wait_mark WHERE wait_mark.holder = job.holder ORDER BY since, source LIMIT 1) END`;

const columns = sql`holder AS folder, id, kind, status, attention_at AS "attentionAt", label,
  created_at AS "createdAt", ended_at AS "endedAt", input, output,
  ${ofFirstMark('reason')} AS "waitsFor", ${ofFirstMark('about')} AS "waitsAbout"`;

/** @param which condition, order and limit */
export async function jobRows(store: SealedDatabase, which: Statement): Promise<JobRow[]> {
  const rows = await store.read<FoundRow>(sql`SELECT ${columns} FROM job ${which}`);
  return rows.map((row) => opened(store, row));
}

/** As `jobRows`, with their outcomes. */
export async function jobsWithOutcome(
  store: SealedDatabase,
  which: Statement,
): Promise<JobWithOutcome[]> {
  const rows = await store.read<FoundRow>(sql`SELECT ${columns}, outcome FROM job ${which}`);
  return rows.map((row) => ({
    ...opened(store, row),
    outcome: row.outcome && store.opened(rowName('job', row.folder), row.outcome),
  }));
}

function opened(store: SealedDatabase, { waitsAbout, input, output, ...row }: FoundRow): JobRow {
  return {
    ...row,
    needsAttention: row.attentionAt !== null,
    waitsAbout: waitsAbout === null ? null : (JSON.parse(waitsAbout) as WaitScope),
    input: store.opened(rowName('job', row.folder), input),
    output: output === null ? null : (JSON.parse(output) as OutputTerms),
  };
}
