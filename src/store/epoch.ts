import type { AuditEntry } from '../domain/core/audit';
import type { SealedDatabase } from './sealed/sealed-database';
import { sql, type Statement } from './statement';

/**
 * A restored store lacks what happened after the backup: a new epoch begins (decision record 001). Processes that
 * opened it before stop, open jobs wait for a person, and what is not on record counts as possibly bought until a
 * person has checked.
 */
export function newEpoch(at: number): Statement[] {
  const since = new Date(at).toISOString();
  return [
    sql`UPDATE install SET epoch = epoch + 1, doubt_since = ${at}`,
    sql`DELETE FROM wait_mark`,
    sql`INSERT INTO wait_mark (folder, source, reason, since)
       SELECT folder, 'restore', 'restored', ${since} FROM job WHERE ended_at IS NULL`,
    sql`UPDATE job SET attention_at = ${since} WHERE ended_at IS NULL`,
  ];
}

/** Epoch milliseconds; null when all purchases are on record. */
export async function doubtSince(store: SealedDatabase): Promise<number | null> {
  const [row] = await store.read<{ doubtSince: number | null }>(
    sql`SELECT doubt_since FROM install`,
  );
  return row?.doubtSince ?? null;
}

/** A person has checked what was bought between backup and restore. @param entry its audit entry */
export async function endDoubt(store: SealedDatabase, entry: AuditEntry): Promise<void> {
  await store.commit([sql`UPDATE install SET doubt_since = NULL`], [entry]);
}
