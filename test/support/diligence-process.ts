import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { readResultSheet } from '../../src/sheets/result-sheet';
import { startSandbox, type CreditNamesInput, type Sandbox } from '../../src/sandbox';
import { KeyRing } from '../../src/protection/key-ring';
import { dataConverterOf } from '../../src/temporal/data-converter';
import { startDevServer, type DevServer } from '../../src/temporal/dev-server';

/** The built command line: what users run. */
const main = join(__dirname, '..', '..', 'dist', 'main.js');

/** What a worker and commands are given to speak to the credit side of the sandbox. */
export function creditSettings({ creditBaseUrl }: Sandbox): Record<string, string> {
  return {
    CREDIT_BASE_URL: creditBaseUrl,
    CREDIT_TOKEN: 'credit-sandbox-token',
    CREDIT_TIMEOUT_SECONDS: '3',
  };
}

export const sandboxToken = 'segredo-do-sandbox-4711';

/** What every process of an installation is given, unless a test says otherwise. */
export const testPayloadKeys = `test:${'7e57'.repeat(16)}`;

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * A whole installation on loopback: a real Temporal server, the sandbox over HTTP, an archive in a
 * folder of its own, workers and commands as processes that can be killed.
 */
export class Installation {
  readonly folder: string;
  readonly sandbox: Sandbox;
  #server: DevServer;
  readonly #env: Record<string, string>;
  readonly #workers: ChildProcess[] = [];
  readonly #connections: Connection[] = [];

  private constructor(
    folder: string,
    sandbox: Sandbox,
    server: DevServer,
    env: Record<string, string>,
  ) {
    this.folder = folder;
    this.sandbox = sandbox;
    this.#server = server;
    this.#env = env;
  }

  get server(): DevServer {
    return this.#server;
  }

  /** What every worker and command is given. */
  get env(): Readonly<Record<string, string>> {
    return this.#env;
  }

  static async start(
    scenario: Parameters<typeof startSandbox>[0] extends infer O
      ? NonNullable<O> extends { scenario?: infer S }
        ? S
        : never
      : never,
    given: Record<string, string> | ((sandbox: Sandbox) => Record<string, string>) = {},
    seed = 7,
    creditNames?: CreditNamesInput,
  ): Promise<Installation> {
    if (!existsSync(main)) throw new Error('dist/main.js is missing: run `npm run build`');
    const folder = await mkdtemp(join(tmpdir(), 'diligence-'));
    const sandbox = await startSandbox({ token: sandboxToken, seed, scenario, creditNames });
    const env = typeof given === 'function' ? given(sandbox) : given;
    const server = await serverIn(folder, 'server');
    return new Installation(folder, sandbox, server, {
      INVESTIGATION_BASE_URL: sandbox.baseUrl,
      INVESTIGATION_TOKEN: sandboxToken,
      TEMPORAL_ADDRESS: server.address,
      DILIGENCE_DATA_DIR: join(folder, 'data'),
      DILIGENCE_ACTOR: 'tester',
      DILIGENCE_PAYLOAD_KEYS: testPayloadKeys,
      CERTIFICATES_RPS: '400',
      CERTIFICATES_TIMEOUT_SECONDS: '3',
      ...env,
    });
  }

  /** Starts the server anew at the address that workers know, on its data or on that of another folder. */
  async restartServer(dataFolder = 'server'): Promise<void> {
    this.#server = await serverIn(this.folder, dataFolder, this.#server.port);
  }

  /**
   * A client of the server's, closed by `stop`.
   *
   * @param payloadKeys what it reads with; by default the keys of the installation
   */
  async client(payloadKeys = this.#env.DILIGENCE_PAYLOAD_KEYS ?? 'off'): Promise<Client> {
    const connection = await Connection.connect({ address: this.#server.address });
    this.#connections.push(connection);
    const keys = payloadKeys === 'off' ? payloadKeys : KeyRing.parse(payloadKeys);
    const settings = { acceptPlaintext: false, aadNamespace: null };
    return new Client({ connection, dataConverter: dataConverterOf(keys, 'default', settings) });
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
  ): Promise<ChildProcess> {
    const log = openSync(this.logPath, 'a');
    const worker = fork(main, ['worker', '--log-level', 'debug', ...more], {
      env: { PATH: process.env.PATH ?? '', ...this.#env, ...env },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.#workers.push(worker);
    const [first] = (await Promise.race([once(worker, 'message'), once(worker, 'exit')])) as [
      unknown,
    ];
    if (first !== 'ready') throw new Error(`the worker did not start: ${await this.workerLog()}`);
    return worker;
  }

  /** Runs a command to its end. */
  async run(args: string[], env: Record<string, string> = {}): Promise<CommandResult> {
    return this.begin(args, env).result;
  }

  /** Starts a command; its result comes when it ends. */
  begin(
    args: string[],
    env: Record<string, string> = {},
  ): { process: ChildProcess; result: Promise<CommandResult> } {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: this.folder,
      env: { PATH: process.env.PATH ?? '', ...this.#env, ...env },
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

  async stop(): Promise<void> {
    await this.stopWorkers('SIGKILL');
    for (const connection of this.#connections) await connection.close();
    await this.#server.stop();
    await this.sandbox.close();
    await rm(this.folder, { recursive: true, force: true });
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
