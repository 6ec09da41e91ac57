import { errorEnvelope, jobEnvelope } from '../../src/starters/jobs/envelope';
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { readResultSheet } from './read-result-sheet';
import {
  startSandbox,
  type CreditNamesInput,
  type Sandbox,
  type ScenarioInput,
} from '../../src/sandbox';
import { KeyRing } from '../../src/protection/key-ring';
import { findIdKey } from '../../src/store/sealed/find-id-key';
import { workerEnv } from '../../src/starters/operate/supervised';
import { openStore } from '../../src/store/open-store';
import { dataConverterOf } from '../../src/temporal/payload/data-converter';
import { startDevServer, type DevServer } from '../../src/temporal/dev-server';
import { makeNamespace } from './namespaces';
import { sharedServer } from './temporal-servers';
import { postgresOfRun, postgresSettings } from './temporary-postgres';
import { testPayloadKeys } from './temporary-store';
import { configured } from './configured';

/** The built command line: what users run. */
const main = join(__dirname, '..', '..', 'dist', 'main.js');
const workerWords = ['worker', '--log-level', 'debug'];
const hostScript = join(__dirname, 'command-host.cjs');

/** What a worker and commands are given to speak to the credit side of the sandbox. */
export function creditSettings({ creditBaseUrl }: Sandbox): Record<string, string> {
  return {
    CREDIT_BASE_URL: creditBaseUrl,
    CREDIT_TOKEN: 'credit-sandbox-token',
  };
}

export const sandboxToken = 'segredo-do-sandbox-4711';

/** What every process of an installation is given, unless a test says otherwise. */

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Engine {
  server: DevServer | null;
  address: string;
  namespace: string;
}

/** Environment of workers and commands, beside what every installation has. */
type Given = Record<string, string> | ((sandbox: Sandbox) => Record<string, string>);
type Terms = [
  scenario?: ScenarioInput,
  given?: Given,
  seed?: number,
  creditNames?: CreditNamesInput,
];

/**
 * A whole installation on loopback: the sandbox over HTTP, a store in a folder of its own, a
 * namespace of its own on a real Temporal server, a worker, and commands.
 */
export class Installation {
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly namespace: string;
  #server: DevServer | null;
  readonly address: string;
  readonly #env: Record<string, string>;
  readonly #workers: ChildProcess[] = [];
  readonly #connections: Connection[] = [];
  #host: CommandHost | null = null;
  #hasRates = false;

  private constructor(
    folder: string,
    sandbox: Sandbox,
    engine: Engine,
    env: Record<string, string>,
  ) {
    this.folder = folder;
    this.sandbox = sandbox;
    this.namespace = engine.namespace;
    this.#server = engine.server;
    this.address = engine.address;
    this.#env = env;
  }

  /** The server that is this installation's alone. */
  get server(): DevServer {
    if (this.#server === null) throw new Error('the server is shared: Installation.startAlone()');
    return this.#server;
  }

  /** What every worker and command is given. */
  get env(): Readonly<Record<string, string>> {
    return this.#env;
  }

  /** On the Temporal server that this jest worker has for its whole run, in a new namespace. */
  static async start(...terms: Terms): Promise<Installation> {
    const address = sharedServer();
    const namespace = `test-${randomUUID()}`;
    const [, place] = await Promise.all([
      makeNamespace(address, namespace),
      Installation.#on(terms, () => ({ server: null, address, namespace })),
    ]);
    return place;
  }

  /** With a Temporal server of its own, on a disk, which may be stopped, killed and started anew. */
  static startAlone(...terms: Terms): Promise<Installation> {
    return Installation.#on(terms, async (folder) => {
      const server = await serverIn(folder, 'server');
      return { server, address: server.address, namespace: server.namespace };
    });
  }

  static async #on(
    [scenario, given = {}, seed = 7, creditNames]: Terms,
    engineIn: (folder: string) => Engine | Promise<Engine>,
  ): Promise<Installation> {
    if (!existsSync(main)) throw new Error('dist/main.js is missing: run `npm run build`');
    const folder = await mkdtemp(join(tmpdir(), 'diligence-'));
    const sandbox = await startSandbox({ token: sandboxToken, seed, scenario, creditNames });
    const engine = await engineIn(folder);
    const postgres = postgresOfRun();
    return new Installation(folder, sandbox, engine, {
      INVESTIGATION_BASE_URL: sandbox.baseUrl,
      INVESTIGATION_TOKEN: sandboxToken,
      DILIGENCE_ALLOWED_HOSTS: '127.0.0.1',
      TEMPORAL_ADDRESS: engine.address,
      TEMPORAL_NAMESPACE: engine.namespace,
      DILIGENCE_DATA_DIR: join(folder, 'data'),
      DILIGENCE_ACTOR: 'tester',
      DILIGENCE_PAYLOAD_KEYS: testPayloadKeys,
      CERTIFICATES_RPS: '400',
      ...configured(),
      ...(postgres === null ? {} : await postgresSettings(postgres, folder)),
      ...(typeof given === 'function' ? given(sandbox) : given),
    });
  }

  /** Starts the server anew at the address that workers know, on its data or on that of another folder. */
  async restartServer(dataFolder = 'server'): Promise<void> {
    this.#server = await serverIn(this.folder, dataFolder, this.server.port);
  }

  /**
   * A client of the server's, closed by `stop`.
   *
   * @param payloadKeys what it reads with; by default the keys of the installation
   */
  async client(payloadKeys = this.#env.DILIGENCE_PAYLOAD_KEYS ?? testPayloadKeys): Promise<Client> {
    const connection = await Connection.connect({ address: this.address });
    this.#connections.push(connection);
    const { namespace } = this;
    const dataConverter = dataConverterOf(KeyRing.parse(payloadKeys), namespace);
    return new Client({ connection, namespace, dataConverter });
  }

  get logPath(): string {
    return join(this.folder, 'worker.log');
  }

  /**
   * Starts a worker process and waits until it is ready.
   *
   * @param more flags of the command
   */
  async startWorker(
    env: Record<string, string> = {},
    more: readonly string[] = [],
    program: string = main,
  ): Promise<ChildProcess> {
    await this.#findRates();
    const log = openSync(this.logPath, 'a');
    const worker = fork(program, [...workerWords, ...more], {
      // As `dev` and the image start it.
      env: { ...workerEnv, ...this.#ownEnv(), ...env },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.#workers.push(worker);
    await this.#untilReady(worker);
    return worker;
  }

  /** As if a worker had been here before and found what the services take: more than any test sends. */
  async #findRates(): Promise<void> {
    const { DILIGENCE_DATA_DIR = '', DILIGENCE_STORE_URL, DILIGENCE_BLOBS_URL = '' } = this.#env;
    const storeUrl = DILIGENCE_STORE_URL ?? join(DILIGENCE_DATA_DIR, 'store');
    if (this.#hasRates || existsSync(storeUrl)) return;
    this.#hasRates = true;
    const { idKey } = await findIdKey(DILIGENCE_DATA_DIR, this.#env.DILIGENCE_ID_KEY ?? null);
    const store = await openStore({ storeUrl, blobsUrl: DILIGENCE_BLOBS_URL }, idKey);
    const [worker, until] = ['before', Date.now() - 60_000];
    const found = {
      worker,
      until,
      perSecond: 10_000,
      ceiling: null,
      reason: 'growing',
      refusals: 0,
    };
    const services = ['certificates', 'credit', 'investigation'];
    await store.rateShares.renew(
      services.map((service) => ({ service, ...found })),
      Date.now(),
    );
    await store.close();
  }

  /** A worker in the process that runs the commands, for tests that are not about processes. */
  async startWorkerHere(env: Record<string, string> = {}): Promise<void> {
    await this.#findRates();
    const { child } = this.#commandHost();
    child.send({ id: 0, words: workerWords, env: { ...this.#ownEnv(), ...env } });
    this.#workers.push(child);
    await this.#untilReady(child);
  }

  /** Runs a command to its end, in a process that is kept for the next one. */
  async run(args: string[], env: Record<string, string> = {}): Promise<CommandResult> {
    const result = await this.#commandHost().run(args, { ...this.#ownEnv(), ...env });
    if (args.includes('--json')) checkEnvelope(result.stdout);
    return result;
  }

  /** Starts a command in a process of its own; its result comes when it ends. */
  begin(
    args: string[],
    env: Record<string, string> = {},
  ): { process: ChildProcess; result: Promise<CommandResult> } {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: this.folder,
      env: { ...this.#ownEnv(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const result = once(child, 'close').then(([code]) => ({
      code: code as number,
      stdout,
      stderr,
    }));
    return { process: child, result };
  }

  #ownEnv(): Record<string, string> {
    return { PATH: process.env.PATH ?? '', ...this.#env };
  }

  #commandHost(): CommandHost {
    if (this.#host === null || this.#host.isOver) {
      const log = openSync(this.logPath, 'a');
      this.#host = new CommandHost(this.folder, log, this.#ownEnv());
      closeSync(log);
    }
    return this.#host;
  }

  async #untilReady(worker: ChildProcess): Promise<void> {
    // The process that runs commands tells of their ends meanwhile.
    const isReady = await new Promise<boolean>((settle) => {
      worker.on('message', (message) => message === 'ready' && settle(true));
      worker.once('exit', () => settle(false));
    });
    if (!isReady) throw new Error(`the worker did not start: ${await this.workerLog()}`);
  }

  async workerLog(): Promise<string> {
    return readFile(this.logPath, 'utf8').catch(() => '');
  }

  /** Ends every worker, by default in good order: what is under way is brought to its end first. */
  async stopWorkers(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await Promise.all(
      this.#workers
        .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
        .map(async (worker) => {
          const exited = once(worker, 'exit');
          worker.kill(signal);
          await exited;
        }),
    );
  }

  /** The process of the commands, and a worker in it, is gone; the next command has another one. */
  async endCommands(): Promise<void> {
    await this.#host?.end();
    this.#host = null;
  }

  async stop(): Promise<void> {
    await Promise.all([this.stopWorkers('SIGKILL'), this.#host?.end()]);
    for (const connection of this.#connections) await connection.close();
    await this.#server?.stop();
    await this.sandbox.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Runs commands one beside the other in one process, and a worker where a test wants none for it. */
export class CommandHost {
  readonly child: ChildProcess;
  readonly #waiting = new Map<number, (result: CommandResult) => void>();
  #next = 1;

  constructor(folder: string, log: number, env: Record<string, string>, program = main) {
    const stdio = ['ignore', log, log, 'ipc'] as const;
    this.child = fork(hostScript, [program], { cwd: folder, env, stdio: [...stdio] });
    this.child.on('message', (message: { id: number } & CommandResult) => {
      const { id, ...result } = message;
      this.#waiting.get(id)?.(result);
      this.#waiting.delete(id);
    });
    this.child.on('exit', (code) => {
      for (const settle of this.#waiting.values()) settle({ code, stdout: '', stderr: 'killed' });
      this.#waiting.clear();
    });
  }

  get isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  run(words: readonly string[], env: Record<string, string>): Promise<CommandResult> {
    const id = this.#next++;
    return new Promise((settle) => {
      this.#waiting.set(id, settle);
      this.child.send({ id, words, env });
    });
  }

  async end(): Promise<void> {
    if (this.isOver) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }
}

async function serverIn(folder: string, dataFolder: string, port = 0): Promise<DevServer> {
  const executable = process.env.TEMPORAL_CLI_PATH;
  if (executable === undefined) throw new Error('TEMPORAL_CLI_PATH: set by the jest set-up');
  return startDevServer({
    executable,
    dataDir: join(folder, dataFolder),
    port,
    logFile: join(folder, 'server.log'),
    env: process.env,
  });
}

export type SheetLine = Awaited<ReturnType<typeof readSheetLines>>[number];

export async function readSheetLines(path: string) {
  const lines = [];
  for await (const line of readResultSheet(path)) lines.push(line);
  return lines;
}

/** Waits for something to become true, looking often; fails with the sentence after the bound. */
export async function eventually(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  boundMs = 90_000,
): Promise<void> {
  const deadlineAt = Date.now() + boundMs;
  while (!(await isTrue())) {
    if (Date.now() > deadlineAt) throw new Error(`did not happen in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What `--json` prints of a job or an error has the published shape, whatever the test is about. */
function checkEnvelope(stdout: string): void {
  if (!stdout.startsWith('{') || !stdout.includes('"exitCode"')) return;
  const printed = JSON.parse(stdout) as object;
  if ('error' in printed) errorEnvelope.parse(printed);
  else if ('kind' in printed && 'exitCode' in printed) jobEnvelope.parse(printed);
}
