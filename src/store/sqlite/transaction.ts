import type { EventChain, NewEvent } from '../audit/chain';
import { goneError, storeErrorOf, type SqliteConnection } from './connection';
import { StoreError } from '../store-error';
import type { Statement, StatementResult } from '../statement';

const busyPatienceMs = 10_000;

/** What stands or falls together: statements, and what the audit trail tells of them. */
export interface Unit {
  statements: readonly Statement[];
  events?: readonly NewEvent[];
}

/**
 * Runs units in one transaction: all of them are on the disk when it returns, or none is.
 * Holds the thread until then.
 *
 * @throws StoreError; `gone` when the file at its path is not the one that was opened
 */
export function runInTransaction(
  connection: SqliteConnection,
  units: readonly Unit[],
  chain: EventChain,
): StatementResult[][] {
  if (!connection.isInPlace()) throw goneError(connection.path);
  try {
    begin(connection);
    const results = units.map(({ statements, events = [] }) => {
      const its = statements.map((one) => runOne(connection, one));
      for (const event of events) {
        const link = chain.next(event);
        if (connection.run(link.statement).changes === 1) link.written();
      }
      return its;
    });
    connection.exec('COMMIT');
    return results;
  } catch (error) {
    chain.end();
    rollBack(connection);
    throw storeErrorOf(error, 'writing to the store');
  }
}

function runOne(connection: SqliteConnection, one: Statement): StatementResult {
  const result = connection.run(one);
  if (one.mustChange && result.changes === 0) {
    throw new StoreError('unchanged', 'nothing is there that it could change');
  }
  return result;
}

/** SQLite's own waiting is not fair: a process that writes much would starve the others. */
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
    // SQLite has done so already, or it never began.
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
