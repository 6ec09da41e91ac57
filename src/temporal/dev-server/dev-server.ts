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
  writeJson,
  type DataPaths,
  type ServerRecord,
} from './files';
import { answers, freePort, host, knock, prepareNamespace } from './frontend';
import { end, isOver, spawnShut, untilEnded, untilExit } from './process';
import { serverVersionOf } from '../tools/cli';
import { hasEnded, isSameProcess, startOf } from '../tools/pid';
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
  /** Serves the web UI on this port (0: a free one); without it there is none. A server that is adopted keeps what it has. */
  uiPort?: number;
  /**
   * Tells the web UI that a codec server listens on this port of loopback (0: a free one), which the
   * caller then sees to. A server that is adopted keeps what it has.
   */
  codecPort?: number;
  /** Gets what the server prints; appended to. */
  logFile: string;
  env: NodeJS.ProcessEnv;
  /** Bound of the wait until it answers. Default 30,000. */
  startTimeoutMs?: number;
  /** How long a server that was left is given to answer. Default 3,000. */
  adoptTimeoutMs?: number;
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
  readonly serverVersion: string;
  /** True when it was running already, left by a process that died. */
  readonly adopted: boolean;
  /** Fulfilled when the process is gone, for whatever reason. Waiting for it keeps no process alive. */
  readonly exited: Promise<void>;
  /** SIGTERM, after ten seconds SIGKILL; then the record is removed. May be called again. */
  stop(): Promise<void>;
  /** Sends the signal and nothing else; the record stays, as after a crash. */
  kill(signal: NodeJS.Signals): void;
}

/**
 * Starts `temporal server start-dev` in a process group of its own, so that Ctrl-C in a terminal ends
 * the worker first. With a data directory, a server that a dead process left is adopted when it
 * answers, and ended when it does not; the caller holds the directory's lock. Throws `DevServerError`.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const namespace = options.namespace ?? 'default';
  if (options.dataDir === undefined) return launch(options, namespace, null);

  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const paths = pathsIn(options.dataDir);
  const record = await readJson(paths.record, recordSchema);
  if (record !== null && (await isSameProcess(record))) {
    const adopted = await adopt(record, namespace, paths, options.adoptTimeoutMs);
    if (adopted !== null) return adopted;
  }
  await rm(paths.record, { force: true });
  return launch(options, namespace, paths);
}

/**
 * Ends a server that a dead process left on this data; the caller knows that nobody keeps it.
 *
 * @returns false when there is none
 */
export async function endOrphanedServer(dataDir: string): Promise<boolean> {
  const paths = pathsIn(dataDir);
  const record = await readJson(paths.record, recordSchema);
  if (record === null || !(await isSameProcess(record))) return false;
  await running(record, paths, null).stop();
  return true;
}

async function adopt(
  record: ServerRecord,
  namespace: string,
  paths: DataPaths,
  timeoutMs = 3_000,
): Promise<DevServer | null> {
  const address = `${host}:${record.port}`;
  if (await answers(record.port, timeoutMs)) {
    await prepareNamespace(address, namespace, 10_000);
    return running({ ...record, namespace }, paths, null);
  }
  await end(record.pid, () => isSameProcess(record));
  return null;
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
  const serverVersion = server.version;
  if (paths !== null) await refuseOtherVersion(paths, serverVersion, options.executable);

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

  const record: ServerRecord = {
    pid: child.pid as number,
    start: await startOf(child.pid as number),
    port,
    uiPort,
    codecPort,
    serverVersion,
    namespace,
    startedAt: new Date().toISOString(),
  };
  const devServer = running(record, paths, child);
  try {
    if (paths !== null) {
      // Before it answers: a server orphaned while it starts must be found too.
      await writeJson(paths.record, record);
      await writeJson(paths.writtenBy, { serverVersion });
    }
    await untilReady(devServer, child, options, logStart);
    if (paths !== null) await shut(paths.database);
    return devServer;
  } catch (error) {
    await end(record.pid, async () => !isOver(child));
    if (paths !== null) await rm(paths.record, { force: true });
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

/** `child` is null for a server that another process started. */
function running(
  record: ServerRecord,
  paths: DataPaths | null,
  child: ChildProcess | null,
): DevServer {
  const { pid } = record;
  const isOurs = async () => (child === null ? isSameProcess(record) : !isOver(child));
  let stopping: Promise<void> | undefined;
  let exited: Promise<void> | undefined;
  return {
    address: `${host}:${record.port}`,
    port: record.port,
    uiPort: record.uiPort,
    codecPort: record.codecPort,
    namespace: record.namespace,
    pid,
    serverVersion: record.serverVersion,
    adopted: child === null,
    get exited() {
      return (exited ??= child === null ? untilEnded(pid) : untilExit(child));
    },
    stop() {
      return (stopping ??= (async () => {
        await end(pid, isOurs);
        if (paths === null) return;
        const recorded = await readJson(paths.record, recordSchema);
        if (recorded?.pid === pid) await rm(paths.record, { force: true });
      })());
    },
    kill(signal) {
      if (child !== null) child.kill(signal);
      else if (!hasEnded(pid)) process.kill(pid, signal);
    },
  };
}

const messageOf = (error: unknown): string => (error as Partial<Error>).message ?? String(error);
