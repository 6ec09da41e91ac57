import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { readEnvironment, type Environment } from '../../../environment';
import { endOrphanedServer, type DevServer } from '../../../temporal/dev-server';
import {
  engineLockPath,
  engineLogPath,
  removeEngineRecord,
  runningEngine,
  writeEngineRecord,
  type EngineRecord,
} from '../../../temporal/engine-record';
import type { CodecServer } from '../../../codec-server/serve-codec';
import { isPostgres } from '../../../store/open-store';
import { lockHolder, withLock } from '../../../store/process-lock';
import { findPayloadKeys } from '../../../temporal/payload/payload-keys';
import { proveKeys } from '../../../temporal/payload/store-keys';
import { findTemporalCli } from '../../../temporal/temporal-cli';
import { startInBackground } from '../../../temporal/open-engine';
import { hasEnded } from '../../../temporal/processes';
import {
  serveCodecForUi,
  sandboxSettings,
  startSandboxProcess,
  variablesWith,
  whyNoSandbox,
  withoutServices,
  idleFor,
  type RunningSandbox,
} from './dev-sandbox';
import { boundLogs } from '../logs';
import { openLog, superviseServer, superviseWorker } from '../supervised';
import { CommandError } from '../../jobs/errors';
import { print, printAs, printNote, wholeNumber } from '../../cli/terminal';
import { openContext } from '../../jobs/context';

interface DevFlags {
  background?: true;
  idleMinutes?: number;
  onDemand?: true;
  sandbox?: true;
  scenario?: string;
  seed?: string;
  uiPort?: number;
}

const onDemandIdleMinutes = 10;
/** Leaves the machine to the first jobs. */
const firstBackupMs = 60_000;
const lookForBackupMs = 60 * 60_000;

export function devCommands(): Command[] {
  return [
    new Command('dev')
      .description(
        'Run a Temporal dev server, a worker, and a sandbox when no service is configured.',
      )
      .option('--background', 'leave it running and return')
      .option('--idle-minutes <n>', 'stop when nothing has run for so long', minutes)
      .addOption(
        new Option('--on-demand', 'as commands start it: gives way to another, ends when idle')
          .hideHelp()
          .implies({ idleMinutes: onDemandIdleMinutes }),
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
        else await runEngine(readEnvironment(variablesFor(flags)), flags);
      }),
    new Command('stop')
      .description(
        'Stop the Temporal server and worker of this data directory: what is under way goes on at its next start.',
      )
      .option('--json', 'one JSON document on standard output')
      .action(async ({ json }: { json?: true }) => {
        const stopped = await stopEngine(readEnvironment().dataDir);
        printAs(json, { stopped }, [stopped ? 'stopped' : 'nothing was running']);
      }),
  ];
}

function variablesFor({ sandbox }: DevFlags): NodeJS.ProcessEnv {
  return sandbox === true ? withoutServices(process.env) : process.env;
}

/** Runs until stopped, or until idle for long enough. */
async function runEngine(environment: Environment, flags: DevFlags): Promise<void> {
  const { dataDir } = environment;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const giveWay = new AbortController();
  // Waits for a server that is starting or stopping.
  const watching = setInterval(() => {
    void runningEngine(dataDir).then((record) => record !== null && giveWay.abort());
  }, 250);
  const alone = { signal: giveWay.signal, pollIntervalMs: 100 };
  try {
    await withLock(engineLockPath(dataDir), alone, () => {
      clearInterval(watching);
      return hold(environment, flags);
    });
  } catch (error) {
    if (!giveWay.signal.aborted) throw error;
    if (flags.onDemand === true) return;
    throw runsAlready(environment);
  } finally {
    clearInterval(watching);
  }
}

function runsAlready({ dataDir }: Environment): CommandError {
  return new CommandError(`an engine runs on ${dataDir} already (\`diligence stop\` ends it)`);
}

async function hold(environment: Environment, flags: DevFlags): Promise<void> {
  const { dataDir } = environment;
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => stopping.abort());
  }
  const { signal } = stopping;
  boundLogs(dataDir);
  const { store } = await openContext(printNote, undefined, environment.variables);
  const keys = await findPayloadKeys(environment, 'embedded', printNote);
  await proveKeys(store, keys);
  const executable = await findTemporalCli({ env: process.env, say: printNote, signal });
  const server = await superviseServer({
    executable,
    dataDir,
    uiPort: flags.uiPort ?? 0,
    codecPort: 0,
    logFile: engineLogPath(dataDir, 'temporal-server'),
    env: process.env,
  });
  let sandbox: RunningSandbox | null = null;
  let worker: Awaited<ReturnType<typeof superviseWorker>> | null = null;
  let codec: CodecServer | null = null;
  try {
    codec = await serveCodecForUi(environment, keys, server.current());
    const { credit, investigation, variables } = environment;
    if (investigation === null && credit === null)
      sandbox = await startSandboxProcess(environment, store, flags);
    worker = await superviseWorker(engineLogPath(dataDir, 'worker'), {
      ...(sandbox === null ? variables : variablesWith(sandbox, variables)),
      TEMPORAL_ADDRESS: server.current().address,
      TEMPORAL_NAMESPACE: server.current().namespace,
      TEMPORAL_TLS: 'false',
    });
    await announce(environment, server.current(), sandbox, codec);
    if (!isPostgres(environment.storeUrl)) backUpDaily(environment);
    await Promise.race([
      signal.aborted ? undefined : once(signal, 'abort'),
      server.gone,
      idleFor(server.current(), dataDir, flags.idleMinutes, signal),
    ]);
  } finally {
    printNote('stopping: what is being sent is brought to its end');
    await removeEngineRecord(dataDir);
    await worker?.stop();
    sandbox?.process.kill('SIGTERM');
    await codec?.close();
    await server.stop();
  }
}

/** In its own process: a copy blocks its thread. */
function backUpDaily({ dataDir, variables }: Environment): void {
  const backUp = (): void => {
    const log = openLog(engineLogPath(dataDir, 'engine'));
    spawn(process.execPath, [process.argv[1] ?? '', 'backup', '--daily', '--json'], {
      stdio: ['ignore', 'ignore', log],
      env: { ...variables, DILIGENCE_DATA_DIR: dataDir },
    }).unref();
    closeSync(log);
  };
  setTimeout(backUp, firstBackupMs).unref();
  setInterval(backUp, lookForBackupMs).unref();
}

async function announce(
  environment: Environment,
  server: DevServer,
  sandbox: RunningSandbox | null,
  codec: CodecServer | null,
): Promise<void> {
  const { credit, dataDir, investigation } = environment;
  const record = {
    pid: process.pid,
    address: server.address,
    namespace: server.namespace,
    uiUrl: server.uiPort === null ? null : `http://127.0.0.1:${server.uiPort}`,
    sandboxUrl: sandbox?.baseUrl ?? null,
    investigationBaseUrl: sandbox?.baseUrl ?? investigation?.baseUrl ?? '',
    creditBaseUrl: sandbox?.creditBaseUrl ?? credit?.baseUrl ?? null,
  };
  await writeEngineRecord(dataDir, record);
  for (const line of addressLines(record)) printNote(line);
  if (sandbox === null) printNote(whyNoSandbox(environment));
  if (codec !== null) printNote(`codec server     ${codec.endpoint} (for that UI)`);
  if (sandbox !== null) for (const line of sandboxSettings(sandbox)) print(line);
  printNote(`worker log       ${engineLogPath(dataDir, 'worker')}`);
  printNote('ready');
}

function addressLines(record: Omit<EngineRecord, 'start'>): string[] {
  const { address, creditBaseUrl, investigationBaseUrl, sandboxUrl, uiUrl } = record;
  return [
    `Temporal server  ${address}`,
    ...(uiUrl === null ? [] : [`Temporal UI      ${uiUrl}`]),
    `service          ${investigationBaseUrl}${sandboxUrl === null ? '' : ' (sandbox)'}`,
    ...(creditBaseUrl === null ? [] : [`credit service   ${creditBaseUrl}`]),
  ];
}

async function startDetached(): Promise<void> {
  const environment = readEnvironment();
  if ((await runningEngine(environment.dataDir)) !== null) throw runsAlready(environment);
  const words = process.argv.slice(2).filter((word) => word !== '--background');
  const record = await startInBackground(environment, words, printNote);
  for (const line of addressLines(record)) print(line);
  const { creditBaseUrl, sandboxUrl: baseUrl } = record;
  if (baseUrl === null) printNote(whyNoSandbox(environment));
  else if (creditBaseUrl !== null)
    for (const line of sandboxSettings({ baseUrl, creditBaseUrl })) print(line);
}

/** The longest configurable upload, plus the shutdown of a worker and a server. */
const longestStopMs = 11 * 60_000;

/** @returns false when nothing was running */
export async function stopEngine(dataDir: string): Promise<boolean> {
  const record = await runningEngine(dataDir);
  // A starting server has no record yet.
  const pid = record?.pid ?? (await lockHolder(engineLockPath(dataDir)));
  // A crash may have left the server process without its supervisor.
  if (pid === null) return endOrphanedServer(dataDir);
  process.kill(pid, 'SIGTERM');
  const deadlineAt = Date.now() + longestStopMs;
  while (!hasEnded(pid)) {
    if (Date.now() > deadlineAt) throw new CommandError(`process ${pid} does not end`);
    await sleep(200);
  }
  return true;
}

function minutes(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 100_000) return value;
  throw new InvalidArgumentError('Expected a number above 0, at most 100000.');
}
