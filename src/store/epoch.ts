import type { AuditEntry } from '../domain/core/audit';
import type { SealedDatabase } from './sealed/sealed-database';
import { statement, type Statement } from './statement';

/**
 * A store that was brought back has no memory of what came after it: a new epoch begins (decision record
 * 001). No process goes on that opened it before, what was under way waits for a person, and what is
 * not on record counts as perhaps bought until somebody says that it was looked up.
 */
export function newEpoch(at: number): Statement[] {
  const since = new Date(at).toISOString();
  return [
    statement('UPDATE install SET epoch = epoch + 1, doubt_since = ?', [at]),
    statement('DELETE FROM wait_mark'),
    statement(
      `INSERT INTO wait_mark (holder, source, reason, since)
       SELECT holder, 'restore', 'restored', ? FROM job WHERE ended_at IS NULL`,
      [since],
    ),
    statement('UPDATE job SET attention_at = ? WHERE ended_at IS NULL', [since]),
  ];
}

/** Epoch milliseconds; null when the store has records of all that was bought. */
export async function doubtSince(store: SealedDatabase): Promise<number | null> {
  const [row] = await store.read<{ since: number | null }>(
    statement('SELECT doubt_since AS since FROM install'),
  );
  return row?.since ?? null;
}

/**
 * A person has looked up what was bought between the backup and the restore.
 *
 * @param entry what the audit trail tells of it
 */
export async function endDoubt(store: SealedDatabase, entry: AuditEntry): Promise<void> {
  await store.commit([statement('UPDATE install SET doubt_since = NULL')], [entry]);
}
