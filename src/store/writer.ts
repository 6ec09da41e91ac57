import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { StatementResult } from './statement';
import { StoreError } from './store-error';
import type { Unit } from './transaction';
import type { CommitReply, CommitRequest, WriterData } from './writer-thread';

/** Compiled, also for who runs the sources: a thread has no loader of its own. */
const script = join(__dirname, '..', '..', 'dist', 'store', 'writer-thread.js');

interface Waiting {
  settle: (results: StatementResult[]) => void;
  fail: (error: StoreError) => void;
}

/** Commits through the writer thread, which starts with the first one. */
export class Writer {
  readonly #data: WriterData;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | null = null;
  #next = 1;

  constructor(data: WriterData) {
    this.#data = data;
  }

  /**
   * All of a unit in one transaction, or none.
   *
   * @returns what each statement returned, once they are on the disk
   * @throws StoreError
   */
  commit(unit: Unit): Promise<StatementResult[]> {
    return this.#ask(unit);
  }

  /** @throws StoreError `busy` while another process reads or writes */
  async eraseTraces(): Promise<void> {
    await this.#ask({ statements: [], erasesTraces: true });
  }

  #ask(request: Omit<CommitRequest, 'id'>): Promise<StatementResult[]> {
    const thread = (this.#thread ??= this.#start());
    const id = this.#next++;
    return new Promise((settle, fail) => {
      // The process lives for as long as somebody waits.
      if (this.#waiting.size === 0) thread.ref();
      this.#waiting.set(id, { settle, fail });
      thread.postMessage({ id, ...request } satisfies CommitRequest);
    });
  }

  /** What was asked for before is committed first. */
  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === null) return;
    this.#thread = null;
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    thread.ref();
    thread.postMessage('close');
    await ended;
  }

  #start(): Worker {
    const thread = new Worker(script, { workerData: this.#data });
    thread.unref();
    thread.on('message', (reply: CommitReply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if (this.#waiting.size === 0) thread.unref();
      if ('results' in reply) waiting?.settle(reply.results);
      else waiting?.fail(new StoreError(reply.error.code, reply.error.message));
    });
    thread.on('error', (error) => this.#end(thread, error.message));
    thread.on('exit', () => this.#end(thread, 'it ended'));
    return thread;
  }

  /** What became of the commits under way is not known: who waits reads again. */
  #end(thread: Worker, reason: string): void {
    if (this.#thread === thread) this.#thread = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { fail } of waiting) {
      fail(new StoreError('other', `the writer of the store failed: ${reason}`));
    }
  }
}
