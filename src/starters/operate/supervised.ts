import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDevServer, type DevServer, type DevServerOptions } from '../../temporal/dev-server';
import { CommandError } from '../jobs/errors';
import { printNote } from '../cli/terminal';

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;
/** Consecutive failed starts of the server before giving up. */
const serverTries = 5;

/** Restarts the worker when it dies: its jobs resume. */
export class SupervisedWorker {
  readonly #logFile: string;
  readonly #env: NodeJS.ProcessEnv;
  #process: ChildProcess | null = null;
  #stopping = false;

  constructor(options: { logFile: string; env: NodeJS.ProcessEnv }) {
    this.#logFile = options.logFile;
    this.#env = options.env;
  }

  /** Resolves when the worker reports that it is ready. */
  async start(): Promise<void> {
    const log = openLog(this.#logFile);
    // Its own process group: Ctrl-C must reach it as a graceful stop, not as a signal of the terminal.
    const child = fork(process.argv[1] ?? '', ['worker', '--embedded'], {
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
      env: this.#env,
    });
    closeSync(log);
    this.#process = child;
    let isReady = false;
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => {
        isReady = true;
        resolve();
      });
      child.once('exit', (code) => {
        if (isReady) void this.#startAgain();
        else
          reject(
            new CommandError(`the worker ended with code ${code ?? 'none'}: see ${this.#logFile}`),
          );
      });
    });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#process;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  async #startAgain(): Promise<void> {
    for (let waitMs = firstWaitMs; !this.#stopping; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
      printNote('the worker has ended unexpectedly: starting another');
      await sleep(waitMs);
      if (this.#stopping) return;
      try {
        await this.start();
        return;
      } catch (error) {
        printNote((error as Error).message);
      }
    }
  }
}

/** Restarts the Temporal server at the same address when it dies: its state is on the disk. */
export class SupervisedServer {
  readonly #options: DevServerOptions;
  #server: DevServer;
  #stopping = false;
  /** Fulfilled when it is gone for good: stopped, or given up with a message. */
  readonly gone: Promise<void>;

  private constructor(options: DevServerOptions, server: DevServer) {
    this.#options = { ...options, port: server.port };
    if (server.uiPort !== null) this.#options.uiPort = server.uiPort;
    if (server.codecPort !== null) this.#options.codecPort = server.codecPort;
    this.#server = server;
    this.gone = this.#keep();
  }

  static async start(options: DevServerOptions): Promise<SupervisedServer> {
    return new SupervisedServer(options, await startDevServer(options));
  }

  get current(): DevServer {
    return this.#server;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#server.stop();
  }

  async #keep(): Promise<void> {
    for (;;) {
      await this.#server.exited;
      if (this.#stopping) return;
      printNote('the Temporal server has ended unexpectedly: starting it again');
      if (await this.#startAgain()) continue;
      if (!this.#stopping) printNote('the Temporal server cannot be kept running');
      return;
    }
  }

  async #startAgain(): Promise<boolean> {
    for (let tries = 1; tries <= serverTries && !this.#stopping; tries += 1) {
      try {
        const server = await startDevServer(this.#options);
        this.#server = server;
        if (this.#stopping) await server.stop();
        return !this.#stopping;
      } catch (error) {
        printNote((error as Error).message);
        await sleep(firstWaitMs * tries);
      }
    }
    return false;
  }
}

export function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openSync(path, 'a', 0o600);
}
