import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DevServerError,
  pathsIn,
  readJson,
  recordSchema,
  refuseOtherVersion,
  shut,
  tailOf,
  type DataPaths,
} from './files';
import { freePort, host, knock, prepareNamespace } from './frontend';
import { end, isOver, spawnShut } from './process';
import { serverVersionOf } from '../tools/cli';
import { replaceFile } from '../../store/files';
import { isSameProcess, startOf } from '../tools/pid';
import { toolEnvironment } from '../tools/process';

const dynamicConfig = [
  'frontend.enableServerVersionCheck=false',
  'frontend.enableUpdateWorkflowExecution=true',
  'frontend.enableUpdateWorkflowExecutionAsyncAccepted=true',
  // Brings the new matcher with it, without which priority does nothing on server 1.29.
  'matching.enableFairness=true',
  // The SDKs and Temporal Cloud hold to 255; an id that is too long must fail here as it would there.
  'limit.maxIDLength=255',
];

export interface DevServerOptions {
  /** A Temporal CLI, as `findTemporalCli` returns it. */
  executable: string;
  /** Where the SQLite file and the record of the process live; without it everything is in memory. */
  dataDir?: string;
  /** Default `default`. */
  namespace?: string;
  /** Default 0: a free one. */
  port?: number;
  /** Serves the web UI on this port (0: a free one); without it there is none. */
  uiPort?: number;
  /** Tells the web UI that a codec server listens on this port of loopback (0: a free one), which the caller then sees to. */
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

/**
 * Starts `temporal server start-dev` in a process group of its own, so that Ctrl-C in a terminal ends
 * the worker first. With a data directory, a server that a dead process left is ended: what it knows is in
 * the file that the next one opens. The caller holds the directory's lock. Throws `DevServerError`.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const namespace = options.namespace ?? 'default';
  if (options.dataDir === undefined) return launch(options, namespace, null);

  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  await endOrphanedServer(options.dataDir);
  return launch(options, namespace, pathsIn(options.dataDir));
}

/**
 * Ends a server that a dead process left on this data; the caller knows that nobody keeps it.
 *
 * @returns false when there is none
 */
export async function endOrphanedServer(dataDir: string): Promise<boolean> {
  const paths = pathsIn(dataDir);
  const record = await readJson(paths.record, recordSchema);
  const isThere = record !== null && (await isSameProcess(record));
  if (isThere) await end(record.pid, () => isSameProcess(record));
  await rm(paths.record, { force: true });
  return isThere;
}

async function launch(
  options: DevServerOptions,
  namespace: string,
  paths: DataPaths | null,
): Promise<DevServer> {
  const server = await serverVersionOf(options.executable, options.env);
  if (server.version === null) {
    throw new DevServerError(
      'DEV_SERVER_FAILED',
      `${options.executable} does not run as a Temporal CLI: ${server.reason}.`,
    );
  }
  if (paths !== null) await refuseOtherVersion(paths, server.version, options.executable);

  const port = options.port || (await freePort());
  const uiPort = options.uiPort === undefined ? null : options.uiPort || (await freePort());
  const codecPort =
    options.codecPort === undefined ? null : options.codecPort || (await freePort());
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
  await mkdir(dirname(options.logFile), { recursive: true, mode: 0o700 });
  const log = await open(options.logFile, 'a', 0o600);
  const logStart = (await log.stat()).size;
  const child = spawnShut(options.executable, args, {
    env: toolEnvironment(options.env),
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  });
  // Our own loop must be able to end while the server goes on.
  child.unref();
  const spawned = once(child, 'spawn');
  try {
    await spawned;
  } catch (error) {
    throw new DevServerError(
      'DEV_SERVER_FAILED',
      `${options.executable} cannot be started: ${messageOf(error)}.`,
      { cause: error },
    );
  } finally {
    await log.close();
  }

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
      await replaceFile(paths.writtenBy, `${JSON.stringify({ serverVersion: server.version })}\n`);
    }
    await untilReady(devServer, child, options, logStart);
    if (paths !== null) await shut(paths.database);
    return devServer;
  } catch (error) {
    await devServer.stop();
    throw error;
  }
}

async function untilReady(
  server: DevServer,
  child: ChildProcess,
  options: DevServerOptions,
  logStart: number,
): Promise<void> {
  const timeoutMs = options.startTimeoutMs ?? 30_000;
  const deadline = Date.now() + timeoutMs;
  let last = 'it never answered';
  while (Date.now() < deadline && !isOver(child)) {
    try {
      await knock(server.port);
      await prepareNamespace(server.address, server.namespace, 2_000);
      return;
    } catch (error) {
      last = messageOf(error);
      await sleep(50);
    }
  }
  const what = isOver(child)
    ? `ended with ${child.signalCode ?? `exit code ${child.exitCode}`} while it started`
    : `did not answer on ${server.address} within ${timeoutMs / 1000} s (${last})`;
  const tail = await tailOf(options.logFile, logStart);
  throw new DevServerError(
    'DEV_SERVER_FAILED',
    `The Temporal dev server ${what}. ${tail === '' ? `It printed nothing to ${options.logFile}.` : `The end of ${options.logFile}:\n${tail}`}`,
  );
}

const messageOf = (error: unknown): string => (error as Partial<Error>).message ?? String(error);
