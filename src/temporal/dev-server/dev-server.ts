import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { replaceFile } from '../../store/files';
import { serverVersionOf } from '../tools/cli';
import { hasEnded, isSameProcess, readRecord, startOf } from '../tools/pid';
import { tailOf, toolEnvironment } from '../tools/process';
import { freePort, host, knock, prepareNamespace } from './frontend';

const dynamicConfig = [
  'frontend.enableServerVersionCheck=false',
  'frontend.enableUpdateWorkflowExecution=true',
  'frontend.enableUpdateWorkflowExecutionAsyncAccepted=true',
  // Brings the new matcher with it, without which priority does nothing on server 1.29.
  'matching.enableFairness=true',
  // The SDKs and Temporal Cloud hold to 255; an id that is too long must fail here as it would there.
  'limit.maxIDLength=255',
];

/** The server did not come up, or must not be started on this data. The message ends with its log. */
export class DevServerError extends Error {
  override readonly name = 'DevServerError';
}

export interface DevServerOptions {
  /** A Temporal CLI, as `findTemporalCli` returns it. */
  executable: string;
  /** Where the SQLite file and the record of the process are; without it everything is in memory. */
  dataDir?: string;
  /** Default `default`. */
  namespace?: string;
  /** Default 0: a free one. */
  port?: number;
  /** Serves the web UI on this port (0: a free one); without it there is none. */
  uiPort?: number;
  /** Tells the web UI that a codec server listens on this port of loopback (0: a free one), which the caller then starts. */
  codecPort?: number;
  /** Gets what the server prints; appended to. */
  logFile: string;
  env: NodeJS.ProcessEnv;
  /** Bound of the wait until it answers. Default 30,000. */
  startTimeoutMs?: number;
}

export interface DevServer {
  /** `host:port` of the frontend. */
  readonly address: string;
  readonly port: number;
  readonly uiPort: number | null;
  /** Where its UI expects a codec server. */
  readonly codecPort: number | null;
  readonly namespace: string;
  readonly pid: number;
  /** Fulfilled when the process is gone, for whatever reason. Waiting for it keeps no process alive. */
  readonly exited: Promise<void>;
  /** SIGTERM, after ten seconds SIGKILL; then the record is removed. May be called again. */
  stop(): Promise<void>;
  /** Sends the signal and nothing else; the record stays, as after a crash. */
  kill(signal: NodeJS.Signals): void;
}

/** The process that has the data open. */
const recordSchema = z.object({
  pid: z.number().int().positive(),
  /** When it was started: its pid may be another's after a reboot. */
  start: z.string(),
});
const writtenBySchema = z.object({ serverVersion: z.string() });

function pathsIn(dataDir: string) {
  const folder = resolve(dataDir);
  return {
    record: join(folder, 'temporal-server.json'),
    database: join(folder, 'temporal.db'),
    writtenBy: join(folder, 'temporal-db.json'),
  };
}
type DataPaths = ReturnType<typeof pathsIn>;

/**
 * Ends a server that a dead process left on this data; the caller knows that nobody uses it.
 *
 * @returns false when there is none
 */
export async function endOrphanedServer(dataDir: string): Promise<boolean> {
  const paths = pathsIn(dataDir);
  const record = await readRecord(paths.record, recordSchema);
  const isThere = record !== null && (await isSameProcess(record));
  if (isThere) await end(record.pid, () => isSameProcess(record));
  await rm(paths.record, { force: true });
  return isThere;
}

/**
 * Starts `temporal server start-dev` in a process group of its own, so that Ctrl-C in a terminal ends
 * the worker first. With a data directory, a server that a dead process left is ended: what it knows is in
 * the file that the next one opens. The caller holds the directory's lock. Throws `DevServerError`.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const { dataDir, env, executable, logFile, namespace = 'default' } = options;
  const paths = dataDir === undefined ? null : pathsIn(dataDir);
  if (dataDir !== undefined) {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await endOrphanedServer(dataDir);
  }
  const { version, unfit } = await serverVersionOf(executable, env);
  if (version === null) {
    throw new DevServerError(`${executable} does not run as a Temporal CLI: ${unfit}.`);
  }
  if (paths !== null) await refuseOtherVersion(paths, version, executable);

  const portOf = (wanted: number | undefined) =>
    wanted === undefined ? null : wanted || freePort();
  const port = options.port || (await freePort());
  const uiPort = await portOf(options.uiPort);
  const codecPort = await portOf(options.codecPort);
  const args = [
    'server',
    'start-dev',
    ...(paths === null ? [] : ['--db-filename', paths.database]),
    `--ip=${host}`,
    `--port=${port}`,
    `--namespace=${namespace}`,
    '--log-format=pretty',
    '--log-level=warn',
    uiPort === null ? '--headless' : `--ui-port=${uiPort}`,
    ...(codecPort === null ? [] : [`--ui-codec-endpoint=http://${host}:${codecPort}`]),
    ...dynamicConfig.map((setting) => `--dynamic-config-value=${setting}`),
  ];
  const { child, logStart } = await launch(executable, args, logFile, env);
  const pid = child.pid as number;
  const stop = async () => {
    await end(pid, async () => !isOver(child));
    if (paths !== null) await rm(paths.record, { force: true });
  };
  let stopping: Promise<void> | undefined;
  const devServer: DevServer = {
    address: `${host}:${port}`,
    port,
    uiPort,
    codecPort,
    namespace,
    pid,
    exited: isOver(child) ? Promise.resolve() : once(child, 'exit').then(() => undefined),
    stop: () => (stopping ??= stop()),
    kill: (signal) => void child.kill(signal),
  };
  try {
    if (paths !== null) {
      // Before it answers: a server orphaned while it starts must be found too.
      const record = { pid, start: await startOf(pid), port, uiPort, codecPort };
      await replaceFile(paths.record, `${JSON.stringify(record)}\n`);
      await replaceFile(paths.writtenBy, `${JSON.stringify({ serverVersion: version })}\n`);
    }
    await untilReady(devServer, child, options, logStart);
    // A database of before may be open to others, and so may what a crash left beside it.
    if (paths !== null) {
      await chmod(paths.database, 0o600);
      for (const beside of ['-wal', '-shm']) {
        await chmod(`${paths.database}${beside}`, 0o600).catch(() => undefined);
      }
    }
    return devServer;
  } catch (error) {
    await devServer.stop();
    throw error;
  }
}

/** The schemas of two versions differ, and the server changes the file without asking. */
async function refuseOtherVersion(
  { database, writtenBy }: DataPaths,
  serverVersion: string,
  executable: string,
): Promise<void> {
  const before = (await readRecord(writtenBy, writtenBySchema))?.serverVersion ?? serverVersion;
  if (before === serverVersion || (await stat(database).catch(() => null)) === null) return;
  throw new DevServerError(
    `${database} was written by Temporal server ${before}, but ${executable} is server ${serverVersion}: ` +
      `set TEMPORAL_CLI_PATH to a CLI with server ${before}, or choose another data directory.`,
  );
}

/** Nobody else reads what it writes: database, write-ahead log and shared memory beside it. */
async function launch(executable: string, args: string[], logFile: string, env: NodeJS.ProcessEnv) {
  await mkdir(dirname(logFile), { recursive: true, mode: 0o700 });
  const log = await open(logFile, 'a', 0o600);
  const logStart = (await log.stat()).size;
  const before = process.umask(0o077);
  let child: ChildProcess;
  try {
    const stdio = ['ignore', log.fd, log.fd] as const;
    child = spawn(executable, args, {
      env: toolEnvironment(env),
      stdio: [...stdio],
      detached: true,
    });
  } finally {
    process.umask(before);
  }
  // Our own loop must be able to end while the server runs.
  child.unref();
  try {
    await once(child, 'spawn');
  } catch (error) {
    const reason = messageOf(error);
    throw new DevServerError(`${executable} cannot be started: ${reason}.`, { cause: error });
  } finally {
    await log.close();
  }
  return { child, logStart };
}

async function untilReady(
  { address, namespace, port }: DevServer,
  child: ChildProcess,
  { logFile, startTimeoutMs = 30_000 }: DevServerOptions,
  logStart: number,
): Promise<void> {
  const deadlineAt = Date.now() + startTimeoutMs;
  let last = 'it never answered';
  while (Date.now() < deadlineAt && !isOver(child)) {
    try {
      await knock(port);
      await prepareNamespace(address, namespace, 2_000);
      return;
    } catch (error) {
      last = messageOf(error);
      await sleep(50);
    }
  }
  const what = isOver(child)
    ? `ended with ${child.signalCode ?? `exit code ${child.exitCode}`} while it started`
    : `did not answer on ${address} within ${startTimeoutMs / 1000} s (${last})`;
  const tail = await tailOf(logFile, logStart);
  const printed =
    tail === '' ? `It printed nothing to ${logFile}.` : `The end of ${logFile}:\n${tail}`;
  throw new DevServerError(`The Temporal dev server ${what}. ${printed}`);
}

/** `isOurs` is asked before each signal: between the two the process may end and its pid be given away. */
async function end(pid: number, isOurs: () => Promise<boolean>): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (hasEnded(pid) || !(await isOurs())) return;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (const since = Date.now(); Date.now() - since < 10_000; await sleep(25)) {
      if (hasEnded(pid)) return;
    }
  }
  throw new DevServerError(
    `The Temporal dev server (process ${pid}) does not end, even on SIGKILL.`,
  );
}

const isOver = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;
const messageOf = (error: unknown): string => (error as Partial<Error>).message ?? String(error);
