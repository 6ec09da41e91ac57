import { fork, type ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDevServer, type DevServer, type DevServerOptions } from '../../temporal/dev-server';
import { tailOf } from '../../temporal/processes';
import { printNote } from '../cli/terminal';
import { CommandError } from '../jobs/errors';

interface Run {
  /** Fulfilled when it has ended, for whatever reason. */
  exited: Promise<unknown>;
  stop(): Promise<void>;
}

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

/** Starts it again when it ends by itself. @param mostTries failed starts one after the other */
async function supervise<R extends Run>(
  name: string,
  begin: (before: R | null) => Promise<R>,
  mostTries = Number.POSITIVE_INFINITY,
) {
  const stopping = new AbortController();
  const { signal } = stopping;
  let run = await begin(null);
  const keep = async (): Promise<void> => {
    for (;;) {
      await run.exited;
      if (signal.aborted) return;
      printNote(`the ${name} has ended unexpectedly: starting another`);
      for (let tries = 1; ; tries += 1) {
        const waitMs = Math.min(firstWaitMs * 2 ** (tries - 1), longestWaitMs);
        await sleep(waitMs, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
        try {
          run = await begin(run);
          break;
        } catch (error) {
          printNote((error as Error).message);
          if (tries < mostTries) continue;
          printNote(`the ${name} cannot be kept running`);
          return;
        }
      }
      if (signal.aborted) await run.stop();
    }
  };
  /** Fulfilled when it is gone for good: stopped, or given up with a message. */
  const gone = keep();
  return {
    gone,
    current: (): R => run,
    stop: async (): Promise<void> => {
      stopping.abort();
      await run.stop();
      await gone;
    },
  };
}

/** The Temporal server, at the same address when it dies: its state is on the disk. */
export function superviseServer(options: DevServerOptions) {
  return supervise<DevServer>(
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

/** As in the image. glibc keeps freed memory, at the end of each of its arenas and in large pieces: a fifth of a worker. */
export const workerEnv = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };

/** A worker, which is ready when this resolves; its jobs resume when it dies. */
export function superviseWorker(logFile: string, env: NodeJS.ProcessEnv) {
  return supervise<Run>('worker', async () => {
    const how = { env: { ...workerEnv, ...env } };
    const { child, exited } = await startPart(['worker', '--embedded'], logFile, how);
    return {
      exited,
      stop: async () => {
        child.kill('SIGTERM');
        await exited;
      },
    };
  });
}

/** A part of this program, which is ready with its first message. */
export async function startPart(
  words: readonly [string, ...string[]],
  logFile: string,
  how: ForkOptions,
) {
  const log = openLog(logFile);
  const from = fstatSync(log).size;
  // Its own process group: Ctrl-C must reach it as a graceful stop, not as a signal of the terminal.
  const child = fork(process.argv[1] ?? '', words, {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    ...how,
  });
  closeSync(log);
  const exited = once(child, 'exit');
  const early = exited.then(async () => {
    const tail = await tailOf(logFile, from);
    throw new CommandError(`the ${words[0]} did not start; the end of its log:\n${tail}`);
  });
  early.catch(() => undefined);
  const [ready] = (await Promise.race([once(child, 'message'), early])) as [unknown];
  return { child, exited, ready };
}

export function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openSync(path, 'a', 0o600);
}
