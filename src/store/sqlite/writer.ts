import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ChainKey } from '../audit/chain';
import { commitsTogether, type Unit } from '../database';
import { GroupQueue } from '../group-queue';
import type { StatementResult } from '../statement';
import { StoreError, type StoreErrorCode } from '../store-error';
import type { FileIdentity } from './connection';

export interface WriterData extends ChainKey {
  path: string;
  expected: FileIdentity;
}

export interface Commit extends Unit {
  /** Removed data must not stay on the disk. */
  erasesTraces?: true;
}

/** An error: nothing of the group was done. */
export type Reply = { results: StatementResult[][] } | { code: StoreErrorCode; message: string };

/** Compiled, even when sources run: a thread has no loader of its own. */
const script = join(__dirname, '..', '..', '..', 'dist', 'store', 'sqlite', 'writer-thread.js');

/** Commits in its own thread, started by the first commit: a flush blocks nothing else. */
export class SqliteWriter extends GroupQueue<Commit, StatementResult[]> {
  readonly #data: WriterData;
  #thread: Worker | null = null;
  #settle: (reply: Reply | string) => void = () => undefined;

  constructor(data: WriterData) {
    super({ ...commitsTogether, run: (group) => this.#commit(group) });
    this.#data = data;
  }

  async close(): Promise<void> {
    await this.drain();
    const thread = this.#thread;
    if (thread === null) return;
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    thread.ref();
    thread.postMessage('close');
    await ended;
  }

  async #commit(group: readonly Commit[]): Promise<(StatementResult[] | StoreError)[]> {
    const thread = (this.#thread ??= this.#start());
    const reply = await new Promise<Reply | string>((settle) => {
      this.#settle = settle;
      // Pending commits keep the process alive.
      thread.ref();
      thread.postMessage(group);
    });
    thread.unref();
    // The result is unknown: callers read again.
    if (typeof reply === 'string') return group.map(() => new StoreError('other', reply));
    if ('results' in reply) return reply.results;
    throw new StoreError(reply.code, reply.message);
  }

  #start(): Worker {
    const thread = new Worker(script, { workerData: this.#data });
    let reason = 'it ended';
    thread.on('message', (reply: Reply) => this.#settle(reply));
    thread.on('error', (error) => (reason = error.message));
    thread.on('exit', () => {
      this.#thread = null;
      this.#settle(`the writer of the store failed: ${reason}`);
    });
    return thread;
  }
}
