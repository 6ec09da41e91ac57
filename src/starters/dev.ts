import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { readEnvironment, type Environment } from '../environment';
import { connectClient } from '../temporal/connection';
import { startDevServer, type DevServer } from '../temporal/dev-server';
import {
  engineLogPath,
  removeEngineRecord,
  runningEngine,
  writeEngineRecord,
} from '../temporal/engine-record';
import { findTemporalCli } from '../temporal/tools';
import { withLock } from '../temporal/tools-lock';
import { hasEnded } from '../temporal/tools-pid';
import { CommandError, print, printJson, tell, wholeNumber } from './terminal';

interface DevFlags {
  background?: true;
  idleMinutes?: number;
  sandbox?: true;
  scenario?: string;
  seed?: string;
  uiPort?: number;
}

const sandboxToken = 'sandbox-token';

/** `diligence dev`, `diligence stop`. */
export function devCommands(): Command[] {
  return [
    new Command('dev')
      .description(
        'Run a Temporal dev server, a worker, and a sandbox when no service is configured.',
      )
      .option('--background', 'leave it running and return')
      .option(
        '--idle-minutes <n>',
        'stop when nothing has run for so long',
        wholeNumber(1, 100_000),
      )
      .option('--sandbox', 'work against the sandbox though INVESTIGATION_BASE_URL is set')
      .option('--scenario <file>', 'scenario of the sandbox (docs/sandbox.md)')
      .option('--seed <n>', 'seed of the sandbox')
      .option(
        '--ui-port <n>',
        'port of the Temporal UI (default: a free one)',
        wholeNumber(0, 65_535),
      )
      .action(async (flags: DevFlags) => {
        if (flags.background === true) await startDetached();
        else await runEngine(readEnvironment(), flags);
      }),
    new Command('stop')
      .description(
        'Stop the engine of this data directory: what is under way goes on at its next start.',
      )
      .option('--json', 'one JSON document on standard output')
      .action(async ({ json }: { json?: true }) => {
        const stopped = await stopEngine(readEnvironment().dataDir);
        if (json === true) printJson({ stopped });
        else print(stopped ? 'stopped' : 'nothing was running');
      }),
  ];
}

/** Runs until it is told to stop, or until it has been idle for long enough. */
async function runEngine(environment: Environment, flags: DevFlags): Promise<void> {
  const { dataDir } = environment;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const giveWay = new AbortController();
  const waiting = { signal: giveWay.signal, onWait: () => giveWay.abort() };
  try {
    await withLock(join(dataDir, 'engine.lock'), waiting, () => hold(environment, flags));
  } catch (error) {
    if (!giveWay.signal.aborted) throw error;
    throw new CommandError(`an engine runs on ${dataDir} already (\`diligence stop\` ends it)`);
  }
}

async function hold(environment: Environment, flags: DevFlags): Promise<void> {
  const { dataDir } = environment;
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => stopping.abort());
  }
  const executable = await findTemporalCli({
    env: process.env,
    say: tell,
    signal: stopping.signal,
  });
  const server = await startDevServer({
    executable,
    dataDir,
    uiPort: flags.uiPort ?? 0,
    logFile: logPath(dataDir, 'temporal-server'),
    env: process.env,
  });
  const sandbox = await sandboxFor(environment, flags, dataDir);
  const service = sandbox?.baseUrl ?? environment.investigation?.baseUrl ?? '';
  const worker = new KeptWorker(dataDir, workerEnvironment(server, sandbox));
  try {
    await worker.start();
    const uiUrl = server.uiPort === null ? null : `http://127.0.0.1:${server.uiPort}`;
    await writeEngineRecord(dataDir, {
      pid: process.pid,
      address: server.address,
      namespace: server.namespace,
      uiUrl,
      sandboxUrl: sandbox?.baseUrl ?? null,
      investigationBaseUrl: service,
      startedAt: new Date().toISOString(),
    });
    tell(`Temporal server  ${server.address}${server.adopted ? ' (was running)' : ''}`);
    if (uiUrl !== null) tell(`Temporal UI      ${uiUrl}`);
    tell(`service          ${service}${sandbox === null ? '' : ' (sandbox)'}`);
    tell(`worker log       ${logPath(dataDir, 'worker')}`);
    tell('ready');
    await Promise.race([
      stopping.signal.aborted ? undefined : once(stopping.signal, 'abort'),
      server.exited.then(() => {
        if (!stopping.signal.aborted) tell('the Temporal server has ended by itself');
      }),
      idleFor(server, flags.idleMinutes, stopping.signal),
    ]);
  } finally {
    tell('stopping: what is being sent is brought to its end');
    await removeEngineRecord(dataDir);
    await worker.stop();
    sandbox?.process.kill('SIGTERM');
    await server.stop();
  }
}

/** Restarts the worker when it dies: the work it held goes on. */
class KeptWorker {
  readonly #dataDir: string;
  readonly #env: NodeJS.ProcessEnv;
  #process: ChildProcess | null = null;
  #stopping = false;

  constructor(dataDir: string, env: NodeJS.ProcessEnv) {
    this.#dataDir = dataDir;
    this.#env = env;
  }

  /** Resolves when the worker says that it is ready. */
  async start(): Promise<void> {
    const path = logPath(this.#dataDir, 'worker');
    const log = openLog(path);
    // A group of its own: Ctrl-C must reach it as an order to end between requests, not as a cut.
    const child = fork(process.argv[1] ?? '', ['worker'], {
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
      env: this.#env,
    });
    closeSync(log);
    this.#process = child;
    const ready = new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('exit', (code) => {
        reject(new CommandError(`the worker ended with code ${code ?? 'none'}: see ${path}`));
      });
    });
    await ready;
    child.once('exit', () => void this.#restart());
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#process;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  async #restart(): Promise<void> {
    while (!this.#stopping) {
      tell('the worker has ended unexpectedly: starting another');
      await sleep(1_000);
      if (this.#stopping) return;
      try {
        await this.start();
        return;
      } catch (error) {
        tell((error as Error).message);
      }
    }
  }
}

interface RunningSandbox {
  baseUrl: string;
  process: ChildProcess;
}

async function sandboxFor(
  environment: Environment,
  flags: DevFlags,
  dataDir: string,
): Promise<RunningSandbox | null> {
  if (environment.investigation !== null && flags.sandbox !== true) return null;
  const args = ['sandbox', '--json', '--port', '0', '--token', sandboxToken];
  if (flags.scenario !== undefined) args.push('--scenario', flags.scenario);
  if (flags.seed !== undefined) args.push('--seed', flags.seed);
  const log = openLog(logPath(dataDir, 'sandbox'));
  const child = spawn(process.execPath, [process.argv[1] ?? '', ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', log, 'ipc'],
  });
  closeSync(log);
  if (child.stdout === null) throw new CommandError('the sandbox has no output');
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit').then(() => {
    throw new CommandError(`the sandbox did not start: see ${logPath(dataDir, 'sandbox')}`);
  });
  let text = '';
  const address = (async () => {
    for await (const line of lines) {
      text += line;
      try {
        return (JSON.parse(text) as { baseUrl: string }).baseUrl;
      } catch {
        continue;
      }
    }
    return ended;
  })();
  ended.catch(() => undefined);
  return { baseUrl: await Promise.race([address, ended]), process: child };
}

function workerEnvironment(server: DevServer, sandbox: RunningSandbox | null): NodeJS.ProcessEnv {
  const { address, namespace } = server;
  const engine = {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_TLS: 'false',
  };
  if (sandbox === null) return { ...process.env, ...engine };
  const env = { ...process.env };
  for (const name of [
    'INVESTIGATION_TOKEN_FILE',
    'CERTIFICATES_TOKEN',
    'CERTIFICATES_TOKEN_FILE',
  ]) {
    delete env[name];
  }
  const service = { INVESTIGATION_BASE_URL: sandbox.baseUrl, INVESTIGATION_TOKEN: sandboxToken };
  return { ...env, ...engine, ...service };
}

/** Resolves when nothing has been running for so long; never when no bound is given. */
async function idleFor(
  server: DevServer,
  minutes: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (minutes === undefined) return new Promise(() => undefined);
  const { address, namespace } = server;
  const engine = await connectClient({ connectionOptions: {}, address, namespace });
  let busyAt = Date.now();
  while (!signal.aborted && Date.now() - busyAt < minutes * 60_000) {
    await sleep(15_000, undefined, { signal }).catch(() => undefined);
    const running = await engine.client.workflow
      .count("ExecutionStatus = 'Running'")
      .catch(() => ({ count: 1 }));
    if (running.count > 0) busyAt = Date.now();
  }
  await engine.close();
  if (!signal.aborted) tell(`nothing has run for ${minutes} minutes`);
}

async function startDetached(): Promise<void> {
  const environment = readEnvironment();
  const { dataDir } = environment;
  const log = openLog(logPath(dataDir, 'engine'));
  const args = process.argv.slice(1).filter((word) => word !== '--background');
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child.unref();
  const startedAt = Date.now();
  while (Date.now() - startedAt < 15 * 60_000) {
    const record = await runningEngine(dataDir);
    if (record !== null) {
      print(`Temporal server  ${record.address}`);
      if (record.uiUrl !== null) print(`Temporal UI      ${record.uiUrl}`);
      print(`service          ${record.investigationBaseUrl}`);
      print('`diligence stop` ends it');
      return;
    }
    if (child.pid === undefined || hasEnded(child.pid)) break;
    await sleep(200);
  }
  throw new CommandError(`it did not start: see ${logPath(dataDir, 'engine')}`);
}

/** @returns false when nothing was running */
export async function stopEngine(dataDir: string): Promise<boolean> {
  const record = await runningEngine(dataDir);
  if (record === null) return false;
  process.kill(record.pid, 'SIGTERM');
  const deadlineAt = Date.now() + 90_000;
  while (!hasEnded(record.pid)) {
    if (Date.now() > deadlineAt) throw new CommandError(`process ${record.pid} does not end`);
    await sleep(200);
  }
  return true;
}

function logPath(dataDir: string, name: string): string {
  return engineLogPath(dataDir, name);
}

function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openSync(path, 'a', 0o600);
}
