import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { z } from 'zod';
import { registerSearchAttributes } from './search-attributes';
import { serverVersionOf } from './tools';
import { commandLineOf, hasEnded } from './tools-pid';
import { toolEnvironment } from './tools-process';

const host = '127.0.0.1';
const retention = msToTs('30 days');

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

/** The server did not come up, or must not be started on this data. The message ends with its log. */
export class DevServerError extends Error {
  override readonly name = 'DevServerError';
  readonly code: 'DEV_SERVER_FAILED' | 'DEV_SERVER_VERSION' | 'DEV_SERVER_FOREIGN';

  constructor(code: DevServerError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const recordSchema = z.object({
  pid: z.number().int().positive(),
  port: z.number().int(),
  uiPort: z.number().int().nullable(),
  codecPort: z.number().int().nullable().default(null),
  serverVersion: z.string(),
  namespace: z.string(),
  startedAt: z.string(),
});
type ServerRecord = z.infer<typeof recordSchema>;

const writtenBySchema = z.object({ serverVersion: z.string() });

interface DataPaths {
  record: string;
  database: string;
  writtenBy: string;
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
  if (record !== null && !hasEnded(record.pid)) {
    const adopted = await adopt(record, namespace, paths);
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
  if (record === null || hasEnded(record.pid)) return false;
  const orphan = running(record, paths, null);
  if (!isOurServer((await commandLineOf(record.pid)) ?? '', paths.database)) return false;
  await orphan.stop();
  return true;
}

function pathsIn(dataDir: string): DataPaths {
  const folder = resolve(dataDir);
  return {
    record: join(folder, 'temporal-server.json'),
    database: join(folder, 'temporal.db'),
    writtenBy: join(folder, 'temporal-db.json'),
  };
}

async function adopt(
  record: ServerRecord,
  namespace: string,
  paths: DataPaths,
): Promise<DevServer | null> {
  const commandLine = await commandLineOf(record.pid);
  if (commandLine !== null && !isOurServer(commandLine, paths.database)) return null;

  const address = `${host}:${record.port}`;
  if (await answers(record.port, 3_000)) {
    await prepareNamespace(address, namespace, 10_000);
    return running({ ...record, namespace }, paths, null);
  }
  if (commandLine === null) {
    throw new DevServerError(
      'DEV_SERVER_FOREIGN',
      `Process ${record.pid} is recorded in ${paths.record} and does not answer, and this system does not tell what it is: end it, or remove the record.`,
    );
  }
  await end(record.pid, async () =>
    isOurServer((await commandLineOf(record.pid)) ?? '', paths.database),
  );
  return null;
}

/** A pid is used again after a reboot: only a dev server on our own file is ours. */
function isOurServer(commandLine: string, database: string): boolean {
  return `${commandLine} `.includes(` ${firstArgs(database).join(' ')} `);
}

/** Ends in a flag after the path, so that no longer path can look like ours. */
function firstArgs(database: string | null): string[] {
  return ['server', 'start-dev', ...(database === null ? [] : ['--db-filename', database]), '--ip'];
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
    ...firstArgs(paths?.database ?? null),
    host,
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

/** A database of before may be open to others, and so may what a crash left beside it. */
async function shut(database: string): Promise<void> {
  await chmod(database, 0o600);
  for (const beside of ['-wal', '-shm']) {
    await chmod(`${database}${beside}`, 0o600).catch(() => undefined);
  }
}

/** Nobody else reads what it writes: database, write-ahead log and shared memory beside it. */
function spawnShut(executable: string, args: string[], options: SpawnOptions): ChildProcess {
  const before = process.umask(0o077);
  try {
    return spawn(executable, args, options);
  } finally {
    process.umask(before);
  }
}

/** The schemas of two versions differ, and the server changes the file without asking. */
async function refuseOtherVersion(
  paths: DataPaths,
  serverVersion: string,
  executable: string,
): Promise<void> {
  const writtenBy = await readJson(paths.writtenBy, writtenBySchema);
  if (writtenBy === null || writtenBy.serverVersion === serverVersion) return;
  if ((await stat(paths.database).catch(() => null)) === null) return;
  throw new DevServerError(
    'DEV_SERVER_VERSION',
    `${paths.database} was written by Temporal server ${writtenBy.serverVersion}, but ${executable} is server ${serverVersion}: ` +
      `set TEMPORAL_CLI_PATH to a CLI with server ${writtenBy.serverVersion}, or choose another data directory.`,
  );
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
  const isOurs = async () => {
    if (child !== null) return !isOver(child);
    const commandLine = await commandLineOf(pid);
    return paths !== null && isOurServer(commandLine ?? '', paths.database);
  };
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

/** `isOurs` is asked before each signal: between the two the process may end and its pid be given away. */
async function end(pid: number, isOurs: () => Promise<boolean>): Promise<void> {
  for (const [signal, graceMs] of [
    ['SIGTERM', 10_000],
    ['SIGKILL', 10_000],
  ] as const) {
    if (hasEnded(pid) || !(await isOurs())) return;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (const since = Date.now(); Date.now() - since < graceMs; await sleep(25)) {
      if (hasEnded(pid)) return;
    }
  }
  throw new DevServerError(
    'DEV_SERVER_FAILED',
    `The Temporal dev server (process ${pid}) does not end, even on SIGKILL.`,
  );
}

function isOver(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function untilExit(child: ChildProcess): Promise<void> {
  if (!isOver(child)) await once(child, 'exit');
}

async function untilEnded(pid: number): Promise<void> {
  while (!hasEnded(pid)) await sleep(500, undefined, { ref: false });
}

async function answers(port: number, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  do {
    try {
      await knock(port);
      await withConnection(`${host}:${port}`, 1_000, () => Promise.resolve());
      return true;
    } catch {
      await sleep(50);
    }
  } while (Date.now() < deadline);
  return false;
}

/** Fails at once when nobody listens. A gRPC channel that is refused sleeps for a second before it tries again. */
async function knock(port: number): Promise<void> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

/**
 * Makes sure that the namespace is there, keeps what has ended for 30 days (a dev server's own default
 * is one day) and knows our search attributes. It is also the proof that the server answers.
 */
async function prepareNamespace(
  address: string,
  namespace: string,
  timeoutMs: number,
): Promise<void> {
  const config = { workflowExecutionRetentionTtl: retention };
  await withConnection(address, timeoutMs, async (connection) => {
    const { workflowService } = connection;
    try {
      const found = await workflowService.describeNamespace({ namespace });
      const kept = found.config?.workflowExecutionRetentionTtl?.seconds;
      if (Number(kept) !== Number(retention.seconds))
        await workflowService.updateNamespace({ namespace, config });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: retention,
      });
    }
    await registerWhenServed({ connection, namespace });
  });
}

/** A namespace that was made just now is served a little later; the deadline of the connection ends it. */
async function registerWhenServed(
  engine: Parameters<typeof registerSearchAttributes>[0],
): Promise<void> {
  for (;;) {
    try {
      await registerSearchAttributes(engine);
      return;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await sleep(100);
    }
  }
}

function isNotFound(error: unknown): boolean {
  const grpcNotFound = 5;
  const code: number | null = isGrpcServiceError(error) ? error.code : null;
  return code === grpcNotFound;
}

async function withConnection<T>(
  address: string,
  timeoutMs: number,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect({ address, connectTimeout: timeoutMs });
  try {
    return await connection.withDeadline(Date.now() + timeoutMs, () => work(connection));
  } finally {
    await connection.close();
  }
}

/**
 * A port nobody listens on. On Linux the end that closes first leaves it in TIME_WAIT, and for that
 * minute the system gives it to nobody who asks for any port; we may still bind it by number.
 */
async function freePort(): Promise<number> {
  const server = createServer((socket) => socket.destroy()).listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const probe = connect(port, host);
  probe.on('error', () => undefined);
  await once(probe, 'close');
  await new Promise((closed) => server.close(closed));
  return port;
}

async function tailOf(path: string, from: number): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const start = Math.max(from, size - 8 * 1024);
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(size - start),
      0,
      size - start,
      start,
    );
    return buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').slice(-15).join('\n');
  } finally {
    await file.close();
  }
}

async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

async function writeJson(path: string, value: unknown): Promise<void> {
  const aside = `${path}.${process.pid}`;
  await writeFile(aside, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(aside, path);
}

function messageOf(error: unknown): string {
  return (error as Partial<Error>).message ?? String(error);
}
