import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, stat } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { z } from 'zod';
import { replaceFile } from '../store/files';
import { hasEnded, isSameProcess, readRecord, startOf, tailOf, toolEnvironment } from './processes';
import { registerSearchAttributes } from './search-attributes';
import { examineCli } from './temporal-cli';

const host = '127.0.0.1';
const namespace = 'default';
/** A dev server's own default is one day. */
const retention = msToTs('30 days');
const stopWithinMs = 10_000;

const dynamicConfig = [
  'frontend.enableServerVersionCheck=false',
  'frontend.enableUpdateWorkflowExecution=true',
  'frontend.enableUpdateWorkflowExecutionAsyncAccepted=true',
  // Brings the new matcher with it, without which priority does nothing on server 1.29.
  'matching.enableFairness=true',
  // The SDKs and Temporal Cloud hold to 255; an id that is too long must fail here as it would there.
  'limit.maxIDLength=255',
];

/** As durable as its default (a journal that is created, flushed and removed), for a third less processor time. */
const databasePragmas = ['journal_mode=wal', 'synchronous=full', 'wal_autocheckpoint=4000'].map(
  (pragma) => `--sqlite-pragma=${pragma}`,
);
/** It collects garbage less often, within this memory. */
const goEnvironment = { GOGC: '400', GOMEMLIMIT: '512MiB' };

/** The server did not come up, or must not be started on this data. The message ends with its log. */
export class DevServerError extends Error {
  override readonly name = 'DevServerError';
}

export interface DevServerOptions {
  /** A Temporal CLI, as `findTemporalCli` returns it. */
  executable: string;
  /** Where the SQLite file and the record of the process are; without it everything is in memory. */
  dataDir?: string;
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
  /** SIGTERM, after ten seconds SIGKILL. May be called again. */
  stop(): Promise<void>;
}

/** The process that has, or had, the data open, and its version: the schemas of two differ. */
const recordSchema = z.object({
  pid: z.number().int().positive(),
  /** When it was started: its pid may be another's after a reboot. */
  start: z.string(),
  serverVersion: z.string(),
});

const recordPath = (dataDir: string): string => join(resolve(dataDir), 'temporal-server.json');

/**
 * Ends a server that a dead process left on this data; the caller knows that nobody uses it.
 *
 * @returns false when there is none
 */
export async function endOrphanedServer(dataDir: string): Promise<boolean> {
  const record = await readRecord(recordPath(dataDir), recordSchema);
  if (record === null || !(await isSameProcess(record))) return false;
  await end(record.pid, () => isSameProcess(record));
  return true;
}

/**
 * Starts `temporal server start-dev` in a process group of its own, so that Ctrl-C in a terminal ends the worker first.
 * With a data directory, a server that a dead process left is ended: what it knows is in the file that the next one
 * opens. The caller holds the directory's lock.
 *
 * @throws DevServerError
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const { dataDir, env, executable } = options;
  if (dataDir !== undefined) {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await endOrphanedServer(dataDir);
  }
  const { serverVersion = '', unfit } = (await examineCli(executable, env)) ?? {};
  if (serverVersion === '')
    throw new DevServerError(
      `${executable} does not run as a Temporal CLI: ${unfit ?? 'there is no such file'}.`,
    );
  const database = dataDir === undefined ? null : join(resolve(dataDir), 'temporal.db');
  if (dataDir !== undefined) await refuseOtherVersion(dataDir, serverVersion, executable);

  const portOf = (wanted?: number) => (wanted === undefined ? null : wanted || freePort());
  const port = options.port || (await freePort());
  const uiPort = await portOf(options.uiPort);
  const codecPort = await portOf(options.codecPort);
  const args = [
    'server',
    'start-dev',
    ...(database === null ? [] : [`--db-filename=${database}`, ...databasePragmas]),
    `--ip=${host}`,
    `--port=${port}`,
    `--namespace=${namespace}`,
    '--log-format=pretty',
    '--log-level=warn',
    uiPort === null ? '--headless' : `--ui-port=${uiPort}`,
    ...(codecPort === null ? [] : [`--ui-codec-endpoint=http://${host}:${codecPort}`]),
    ...dynamicConfig.map((setting) => `--dynamic-config-value=${setting}`),
  ];
  const { child, logStart } = await launch(args, options);
  const pid = child.pid as number;
  const exited = isOver(child) ? Promise.resolve() : once(child, 'exit').then(() => undefined);
  const stop = async (): Promise<void> => {
    await end(pid, async () => !isOver(child));
    // Our loop must not be empty before its end is reported.
    child.ref();
    await exited;
  };
  try {
    if (dataDir !== undefined) {
      // Before it answers: a server orphaned while it starts must be found too.
      const record = { pid, start: await startOf(pid), serverVersion, port, uiPort, codecPort };
      await replaceFile(recordPath(dataDir), `${JSON.stringify(record)}\n`);
    }
    await untilReady(port, child, options, logStart);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address: `${host}:${port}`, port, uiPort, codecPort, namespace, pid, exited, stop };
}

/** The server changes the schema of the file without asking. */
async function refuseOtherVersion(
  dataDir: string,
  version: string,
  executable: string,
): Promise<void> {
  const before = (await readRecord(recordPath(dataDir), recordSchema))?.serverVersion ?? version;
  const database = join(resolve(dataDir), 'temporal.db');
  if (before === version || (await stat(database).catch(() => null)) === null) return;
  throw new DevServerError(
    `${database} was written by Temporal server ${before}, but ${executable} is server ${version}: ` +
      `set TEMPORAL_CLI_PATH to a CLI with server ${before}, or choose another data directory.`,
  );
}

async function launch(args: string[], { executable, logFile, env }: DevServerOptions) {
  await mkdir(dirname(logFile), { recursive: true, mode: 0o700 });
  const log = await open(logFile, 'a', 0o600);
  const logStart = (await log.stat()).size;
  // Nobody else reads its database, and what it keeps beside it.
  const before = process.umask(0o077);
  try {
    const stdio: ['ignore', number, number] = ['ignore', log.fd, log.fd];
    const child = spawn(executable, args, {
      env: { ...goEnvironment, ...toolEnvironment(env) },
      stdio,
      detached: true,
    });
    // Our own loop must be able to end while the server runs.
    child.unref();
    process.umask(before);
    await once(child, 'spawn');
    return { child, logStart };
  } finally {
    await log.close();
  }
}

async function untilReady(
  port: number,
  child: ChildProcess,
  { logFile, startTimeoutMs = 30_000 }: DevServerOptions,
  logStart: number,
): Promise<void> {
  const deadlineAt = Date.now() + startTimeoutMs;
  let last = 'it never answered';
  while (Date.now() < deadlineAt && !isOver(child)) {
    try {
      await prepareNamespace(`${host}:${port}`, namespace);
      return;
    } catch (error) {
      last = (error as Error).message;
      await sleep(50);
    }
  }
  const what = isOver(child)
    ? `ended with ${child.signalCode ?? `exit code ${child.exitCode}`} while it started`
    : `did not answer on ${host}:${port} within ${startTimeoutMs / 1000} s (${last})`;
  const tail = await tailOf(logFile, logStart);
  throw new DevServerError(
    `The Temporal dev server ${what}. ` +
      (tail === '' ? `It printed nothing to ${logFile}.` : `The end of ${logFile}:\n${tail}`),
  );
}

/**
 * Makes sure that a namespace keeps what has ended for 30 days and knows our search attributes. It is also the proof
 * that the server answers.
 */
export async function prepareNamespace(address: string, name: string): Promise<void> {
  // A channel that was refused would wait for a second before it tries again.
  const channelArgs = {
    'grpc.initial_reconnect_backoff_ms': 50,
    'grpc.max_reconnect_backoff_ms': 50,
  };
  const connection = await Connection.connect({ address, connectTimeout: 2_000, channelArgs });
  try {
    await connection.withDeadline(Date.now() + 2_000, async () => {
      await connection.workflowService.updateNamespace({
        namespace: name,
        config: { workflowExecutionRetentionTtl: retention },
      });
      await registerSearchAttributes({ connection, namespace: name });
    });
  } finally {
    await connection.close();
  }
}

/**
 * A port nobody listens on. On Linux the end that closes first leaves it in TIME_WAIT, and for that minute the system
 * gives it to nobody who asks for any port; we may still bind it by number.
 */
export async function freePort(): Promise<number> {
  const server = createServer((socket) => socket.destroy()).listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const probe = connect(port, host);
  probe.on('error', () => undefined);
  await once(probe, 'close');
  await new Promise((closed) => server.close(closed));
  return port;
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
    for (const since = Date.now(); Date.now() - since < stopWithinMs; await sleep(25))
      if (hasEnded(pid)) return;
  }
  throw new DevServerError(
    `The Temporal dev server (process ${pid}) does not end, even on SIGKILL.`,
  );
}

const isOver = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;
