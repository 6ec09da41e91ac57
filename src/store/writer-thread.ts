import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection, storeErrorOf, type FileIdentity } from './sqlite';
import { EventChain, type ChainKey } from './audit/chain';
import type { StatementResult } from './statement';
import type { StoreErrorCode } from './store-error';
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

export interface CommitRequest extends Unit {
  id: number;
  /** Afterwards nothing of what was removed is left on the disk. */
  erasesTraces?: true;
}

export type CommitReply =
  | { id: number; results: StatementResult[] }
  | { id: number; error: { code: StoreErrorCode; message: string } };

/** More in one transaction holds other processes up. */
const mostStatements = 200;

const port = parentPort;
if (port === null) throw new Error('writer-thread runs as a thread of its own');
const { path, expected, ...chainKey } = workerData as WriterData;
const chain = new EventChain(chainKey);
/** Opened by the first commit, and by the next one where it could not be. */
let connection: SqliteConnection | null = null;
const queue: CommitRequest[] = [];
let isScheduled = false;

port.on('message', (request: CommitRequest | 'close') => {
  if (request === 'close') {
    while (queue.length > 0) commitNext();
    connection?.close();
    port.close();
    return;
  }
  queue.push(request);
  schedule();
});

/** After the messages that have arrived meanwhile: they commit together. */
function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    if (queue.length > 0) commitNext();
    if (queue.length > 0) schedule();
  });
}

function commitNext(): void {
  const group = nextGroup();
  try {
    const results = commit(group);
    group.forEach(({ id }, at) => reply({ id, results: results[at] ?? [] }));
  } catch (error) {
    if (group.length === 1) refuse(group, error);
    else for (const request of group) commitAlone(request);
  }
}

/** Of a group that failed: each learns what became of its own statements. */
function commitAlone(request: CommitRequest): void {
  try {
    const [results = []] = commit([request]);
    reply({ id: request.id, results });
  } catch (error) {
    refuse([request], error);
  }
}

function nextGroup(): CommitRequest[] {
  const group: CommitRequest[] = [];
  let statements = 0;
  while (queue[0] !== undefined) {
    statements += queue[0].statements.length + (queue[0].events?.length ?? 0);
    if (group.length > 0 && statements > mostStatements) break;
    group.push(queue.shift() as CommitRequest);
  }
  return group;
}

function commit(group: readonly CommitRequest[]): StatementResult[][] {
  connection ??= new SqliteConnection(path, { expected });
  const results = runInTransaction(connection, group, chain);
  if (group.some(({ erasesTraces }) => erasesTraces)) connection.eraseTraces();
  return results;
}

function refuse(group: readonly CommitRequest[], error: unknown): void {
  const { code, message } = storeErrorOf(error, 'writing to the store');
  for (const { id } of group) reply({ id, error: { code, message } });
}

function reply(message: CommitReply): void {
  port?.postMessage(message);
}
