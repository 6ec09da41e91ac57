import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDevServer, type DevServer, type DevServerOptions } from '../../temporal/dev-server';
import { printNote } from '../cli/terminal';
import { CommandError } from '../jobs/errors';

interface Run {
  /** Fulfilled when it has ended, for whatever reason. */
  exited: Promise<unknown>;
  stop(): Promise<void>;
}

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

export class Supervised<R extends Run> {
  readonly #name: string;
  readonly #begin: (before: R | null) => Promise<R>;
  readonly #mostTries: number;
  readonly #stopping = new AbortController();
  #run: R;
  /** Fulfilled when it is gone for good: stopped, or given up with a message. */
  readonly gone: Promise<void>;

  private constructor(
    name: string,
    begin: (before: R | null) => Promise<R>,
    mostTries: number,
    run: R,
  ) {
    this.#name = name;
    this.#begin = begin;
    this.#mostTries = mostTries;
    this.#run = run;
    this.gone = this.#keep();
  }

  /** @param mostTries failed starts one after the other */
  static async start<R extends Run>(
    name: string,
    begin: (before: R | null) => Promise<R>,
    mostTries = Number.POSITIVE_INFINITY,
  ): Promise<Supervised<R>> {
    return new Supervised(name, begin, mostTries, await begin(null));
  }

  get current(): R {
    return this.#run;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#run.stop();
    await this.gone;
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await this.#run.exited;
      if (signal.aborted) return;
      printNote(`the ${this.#name} has ended unexpectedly: starting another`);
      for (let tries = 1; ; tries += 1) {
        const waitMs = Math.min(firstWaitMs * 2 ** (tries - 1), longestWaitMs);
        await sleep(waitMs, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
        try {
          this.#run = await this.#begin(this.#run);
          break;
        } catch (error) {
          printNote((error as Error).message);
          if (tries < this.#mostTries) continue;
          printNote(`the ${this.#name} cannot be kept running`);
          return;
        }
      }
      if (signal.aborted) await this.#run.stop();
    }
  }
}

/** The Temporal server, at the same address when it dies: its state is on the disk. */
export function superviseServer(options: DevServerOptions): Promise<Supervised<DevServer>> {
  return Supervised.start<DevServer>(
    'Temporal server',
    (before) => {
      const { codecPort, port, uiPort } = before ?? {};
      return startDevServer({
        ...options,
        ...(port !== undefined && { port }),
        ...(uiPort != null && { uiPort }),
        ...(codecPort != null && { codecPort }),
      });
    },
    5,
  );
}

/** A worker, which is ready when this resolves; its jobs resume when it dies. */
export function superviseWorker(logFile: string, env: NodeJS.ProcessEnv): Promise<Supervised<Run>> {
  return Supervised.start<Run>('worker', async () => {
    const log = openLog(logFile);
    // Its own process group: Ctrl-C must reach it as a graceful stop, not as a signal of the terminal.
    const child = fork(process.argv[1] ?? '', ['worker', '--embedded'], {
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
      // glibc keeps freed memory for each of its arenas: with two a worker holds a sixth less.
      env: { MALLOC_ARENA_MAX: '2', ...env },
    });
    closeSync(log);
    const exited = once(child, 'exit') as Promise<[number | null]>;
    const early = exited.then(([code]) => {
      throw new CommandError(`the worker ended with code ${code ?? 'none'}: see ${logFile}`);
    });
    early.catch(() => undefined);
    await Promise.race([once(child, 'message'), early]);
    return {
      exited,
      stop: async () => {
        child.kill('SIGTERM');
        await exited;
      },
    };
  });
}

export function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openSync(path, 'a', 0o600);
}
