import { join } from 'node:path';
import { Worker, type MessagePort } from 'node:worker_threads';
import { StoreError, type StoreErrorCode } from './store-error';

/** Compiled, also for who runs the sources: a thread has no loader of its own. */
const folder = join(__dirname, '..', '..', 'dist', 'store');

interface Asked<Request> {
  id: number;
  request: Request;
}

type Reply<Result> =
  { id: number; result: Result } | { id: number; error: { code: StoreErrorCode; message: string } };

interface Waiting<Result> {
  settle: (result: Result) => void;
  fail: (error: StoreError) => void;
}

/** A thread of the store, which starts with the first request. */
export class StoreThread<Request, Result> {
  readonly #script: string;
  readonly #data: unknown;
  readonly #waiting = new Map<number, Waiting<Result>>();
  /** Goes over in one message: each costs more than what it carries. */
  #asked: Asked<Request>[] = [];
  #thread: Worker | null = null;
  #next = 1;

  /** @param script name of its file, which serves */
  constructor(script: string, data: unknown) {
    this.#script = join(folder, script);
    this.#data = data;
  }

  /** @throws StoreError */
  ask(request: Request): Promise<Result> {
    const thread = (this.#thread ??= this.#start());
    const id = this.#next++;
    return new Promise((settle, fail) => {
      // The process lives for as long as somebody waits.
      if (this.#waiting.size === 0) thread.ref();
      this.#waiting.set(id, { settle, fail });
      // What is asked for in one turn: nobody waits for longer than for the turn to end.
      if (this.#asked.push({ id, request }) === 1) setImmediate(() => this.#send());
    });
  }

  /** What was asked for before is done first. */
  async close(): Promise<void> {
    const thread = this.#thread;
    if (thread === null) return;
    this.#send();
    this.#thread = null;
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    thread.ref();
    thread.postMessage('close');
    await ended;
  }

  #send(): void {
    const asked = this.#asked;
    this.#asked = [];
    if (asked.length > 0) this.#thread?.postMessage(asked);
  }

  #start(): Worker {
    const thread = new Worker(this.#script, { workerData: this.#data });
    thread.unref();
    thread.on('message', (replies: Reply<Result>[]) => {
      for (const reply of replies) {
        const waiting = this.#waiting.get(reply.id);
        this.#waiting.delete(reply.id);
        if ('result' in reply) waiting?.settle(reply.result);
        else waiting?.fail(new StoreError(reply.error.code, reply.error.message));
      }
      if (this.#waiting.size === 0) thread.unref();
    });
    let reason = 'it ended';
    thread.on('error', (error) => (reason = error.message));
    // Once, and last: what is asked for until then waits for nobody else.
    thread.on('exit', () => this.#end(thread, reason));
    return thread;
  }

  /** What became of what is under way is not known: who waits reads again. */
  #end(thread: Worker, reason: string): void {
    if (this.#thread === thread) this.#thread = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#asked = [];
    for (const { fail } of waiting) {
      fail(new StoreError('other', `the writer of the store failed: ${reason}`));
    }
  }
}

/**
 * In the thread: what is asked for while something is being done is done together, next.
 *
 * @param take of what waits, in order: as many as go together
 * @param doTogether what became of each; null when nothing was done, and each is to be done alone
 */
export function serve<Request>(
  port: MessagePort | null,
  {
    take,
    doTogether,
    close,
  }: {
    take: (waiting: readonly Request[]) => number;
    doTogether: (group: readonly Request[]) => unknown[] | null;
    close: () => void;
  },
): void {
  if (port === null) throw new Error('it runs as a thread of its own');
  const queue: Asked<Request>[] = [];
  let isScheduled = false;

  const next = (): void => {
    const group = queue.splice(0, take(queue.map(({ request }) => request)));
    if (!areDone(group)) for (const asked of group) areDone([asked]);
  };
  /** Who waits learns of it at once. */
  const areDone = (group: readonly Asked<Request>[]): boolean => {
    const ends = doTogether(group.map(({ request }) => request));
    if (ends === null) return false;
    port.postMessage(group.map(({ id }, at) => replyOf(id, ends[at])));
    return true;
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (queue.length > 0) next();
      if (queue.length > 0) schedule();
    });
  };
  port.on('message', (asked: Asked<Request>[] | 'close') => {
    if (asked !== 'close') {
      queue.push(...asked);
      schedule();
      return;
    }
    while (queue.length > 0) next();
    close();
    port.close();
  });
}

function replyOf(id: number, end: unknown): Reply<unknown> {
  if (!(end instanceof StoreError)) return { id, result: end };
  return { id, error: { code: end.code, message: end.message } };
}
