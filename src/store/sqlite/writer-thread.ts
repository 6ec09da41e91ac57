import { parentPort, workerData } from 'node:worker_threads';
import { EventChain } from '../audit/chain';
import type { StatementResult } from '../statement';
import { storeErrorOf } from '../store-error';
import { SqliteConnection } from './connection';
import { runInTransaction } from './transaction';
import type { Commit, Reply, WriterData } from './writer';

/** The thread that writes: one group of commits after the other. */

const { path, expected, ...chainKey } = workerData as WriterData;
const chain = new EventChain(chainKey);
/** Opened by the first commit, and by the next one where it could not be. */
let connection: SqliteConnection | null = null;

parentPort?.on('message', (group: readonly Commit[] | 'close') => {
  if (group !== 'close') {
    parentPort?.postMessage(replyTo(group));
    return;
  }
  connection?.close();
  parentPort?.close();
});

function replyTo(group: readonly Commit[]): Reply {
  try {
    return { results: commit(group) };
  } catch (error) {
    const { code, message } = storeErrorOf(error, 'writing to the store');
    return { code, message };
  }
}

function commit(group: readonly Commit[]): StatementResult[][] {
  connection ??= new SqliteConnection(path, { expected });
  const results = runInTransaction(connection, group, chain);
  if (group.some(({ erasesTraces }) => erasesTraces)) connection.eraseTraces();
  return results;
}
