import { parentPort, workerData } from 'node:worker_threads';
import { EventChain } from '../audit/chain';
import type { StatementResult } from '../statement';
import { storeErrorOf } from '../store-error';
import { SqliteConnection } from './connection';
import { runInTransaction } from './transaction';
import type { Commit, Reply, WriterData } from './writer';

/** The writing thread: one group of commits after another. */

const { path, expected, ...chainKey } = workerData as WriterData;
const chain = new EventChain(chainKey);
/** Opened by the first commit, or by the next one after a failure. */
let connection: SqliteConnection | null = null;

parentPort?.on('message', (group: readonly Commit[] | 'close') => {
  if (group !== 'close') {
    void replyTo(group).then((reply) => parentPort?.postMessage(reply));
    return;
  }
  connection?.close();
  parentPort?.close();
});

async function replyTo(group: readonly Commit[]): Promise<Reply> {
  try {
    return { results: await commit(group) };
  } catch (error) {
    const { code, message } = storeErrorOf(error, 'writing to the store');
    return { code, message };
  }
}

async function commit(group: readonly Commit[]): Promise<StatementResult[][]> {
  connection ??= new SqliteConnection(path, { expected });
  const results = await runInTransaction(connection, group, chain);
  if (group.some(({ erasesTraces }) => erasesTraces)) connection.eraseTraces();
  return results;
}
