import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection, storeErrorOf, type FileIdentity } from './connection';
import { EventChain, type ChainKey } from '../audit/chain';
import type { StatementResult } from '../statement';
import { serve } from '../thread';
import { runInTransaction, type Unit } from './transaction';

/**
 * The thread that writes: one for each process and store. What asks while a commit is under way
 * commits together in the next one, so that a flush of the disk serves many.
 */

export interface WriterData extends ChainKey {
  path: string;
  /** The file that was opened there. */
  expected: FileIdentity;
}

/** All of a unit in one transaction, or none. */
export interface CommitRequest extends Unit {
  /** Afterwards nothing of what was removed is left on the disk. */
  erasesTraces?: true;
}

/** More in one transaction holds other processes up. */
const mostStatements = 200;

const { path, expected, ...chainKey } = workerData as WriterData;
const chain = new EventChain(chainKey);
/** Opened by the first commit, and by the next one where it could not be. */
let connection: SqliteConnection | null = null;

serve<CommitRequest>(parentPort, {
  take: (waiting) => {
    let statements = 0;
    const tooMany = waiting.findIndex((unit) => {
      statements += unit.statements.length + (unit.events?.length ?? 0);
      return statements > mostStatements;
    });
    return tooMany === -1 ? waiting.length : Math.max(1, tooMany);
  },
  doTogether: (group) => {
    try {
      return commit(group);
    } catch (error) {
      // Of a group each is to learn what became of its own statements.
      return group.length === 1 ? [storeErrorOf(error, 'writing to the store')] : null;
    }
  },
  close: () => connection?.close(),
});

function commit(group: readonly CommitRequest[]): StatementResult[][] {
  connection ??= new SqliteConnection(path, { expected });
  const results = runInTransaction(connection, group, chain);
  if (group.some(({ erasesTraces }) => erasesTraces)) connection.eraseTraces();
  return results;
}
