import type { EventChain } from '../audit/chain';
import { runUnits, type Unit } from '../database';
import type { StatementResult } from '../statement';
import { storeErrorOf } from '../store-error';
import { goneError, type SqliteConnection } from './connection';

const busyPatienceMs = 10_000;

/** @throws StoreError `gone` when the file at its path is not the one that was opened */
export async function runInTransaction(
  connection: SqliteConnection,
  units: readonly Unit[],
  chain: EventChain,
): Promise<StatementResult[][]> {
  if (!connection.isInPlace()) throw goneError(connection.path);
  try {
    begin(connection);
    const results = await runUnits(units, chain, (one) => connection.run(one));
    connection.exec('COMMIT');
    return results;
  } catch (error) {
    chain.end();
    rollBack(connection);
    throw storeErrorOf(error, 'writing to the store');
  }
}

/** SQLite's own waiting is not fair: a busy writer would starve other processes. */
function begin(connection: SqliteConnection): void {
  const giveUpAt = Date.now() + busyPatienceMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    try {
      connection.exec('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      const isBusy = storeErrorOf(error, '').code === 'busy';
      if (!isBusy || Date.now() > giveUpAt) throw error;
      sleep(pauseMs * (0.5 + Math.random()));
    }
  }
}

function rollBack(connection: SqliteConnection): void {
  try {
    connection.exec('ROLLBACK');
  } catch {
    // SQLite has rolled back already, or it never began.
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
