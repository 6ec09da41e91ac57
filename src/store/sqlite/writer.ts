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
  /** The file that was opened there. */
  expected: FileIdentity;
}

export interface Commit extends Unit {
  /** Afterwards nothing of what was removed is left on the disk. */
  erasesTraces?: true;
}

/** An error: nothing of the group was done. */
export type Reply = { results: StatementResult[][] } | { code: StoreErrorCode; message: string };

/** Compiled, also for who runs the sources: a thread has no loader of its own. */
const script = join(__dirname, '..', '..', '..', 'dist', 'store', 'sqlite', 'writer-thread.js');

/** Commits in a thread of its own, which starts with the first commit: a flush holds nobody else up. */
export class SqliteWriter extends GroupQueue<Commit, StatementResult[]> {
  readonly #data: WriterData;
  #thread: Worker | null = null;
  /** Of the group that is under way. */
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
      // The process lives for as long as somebody waits.
      thread.ref();
      thread.postMessage(group);
    });
    thread.unref();
    // What became of it is not known: who waits reads again.
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
