import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScenarioPatch } from '../src/sandbox';
import { workerEnv } from '../src/starters/operate/supervised';
import { startDevServer, type DevServer } from '../src/temporal/dev-server';
import { findTemporalCli } from '../src/temporal/temporal-cli';

const main = join(__dirname, '..', 'dist', 'main.js');
const ticksPerSecond = 100;

/** What a run is measured against: issuance times as the sandbox draws them. */
export interface Timing {
  processingMs: [shortest: number, longest: number];
  /** The `credit` section of the scenario; with it, the worker speaks to the credit service too. */
  credit?: object;
  /** The `monitors` section of the scenario. */
  monitors?: object;
  /** What else the scenario says. */
  scenario?: ScenarioPatch;
  /** What worker and commands are given besides. */
  env?: Record<string, string>;
}

/** What the sandbox prints. */
interface Addresses {
  baseUrl: string;
  control: string;
  environment: { CREDIT_BASE_URL: string; CREDIT_TOKEN: string };
}

const payloadKeys = `bench:${'be'.repeat(32)}`;

/** A sandbox, and where asked for a Temporal server and a worker, as processes of their own. */
export class Parts {
  readonly folder: string;
  readonly baseUrl: string;
  readonly token = 'bench-token';
  readonly #control: string;
  readonly #credit: Record<string, string> | undefined;
  readonly #env: Record<string, string>;
  readonly #children: ChildProcess[] = [];
  #server: DevServer | null = null;
  #worker: ChildProcess | null = null;

  private constructor(folder: string, addresses: Addresses, { credit, env = {} }: Timing) {
    this.folder = folder;
    this.#env = env;
    this.baseUrl = addresses.baseUrl;
    this.#control = addresses.control;
    const { CREDIT_BASE_URL, CREDIT_TOKEN } = addresses.environment;
    this.#credit = credit && { CREDIT_BASE_URL, CREDIT_TOKEN };
  }

  static async start(timing: Timing): Promise<Parts> {
    const { processingMs, credit, monitors, scenario: more } = timing;
    const folder = await mkdtemp(join(tmpdir(), 'diligence-bench-'));
    const scenario = join(folder, 'scenario.json');
    const issuance = { waitingMs: [0, 0], processingMs, distribution: 'lognormal' };
    await writeFile(scenario, JSON.stringify({ issuance, credit, monitors, ...more }));
    const child = spawn(
      process.execPath,
      [main, 'sandbox', '--port', '0', '--token', 'bench-token', '--scenario', scenario, '--json'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const addresses = JSON.parse(line.toString()) as Addresses;
    const parts = new Parts(folder, addresses, timing);
    parts.#children.push(child);
    return parts;
  }

  /** Everything a batch needs besides the command itself. */
  async startEngine(): Promise<void> {
    const say = (line: string): void => void process.stderr.write(`${line}\n`);
    this.#server = await startDevServer({
      executable: await findTemporalCli({ env: process.env, say }),
      dataDir: join(this.folder, 'server'),
      logFile: join(this.folder, 'server.log'),
      env: process.env,
    });
    await this.startWorker();
  }

  /** Another one takes the place of one that there is. */
  async startWorker(): Promise<void> {
    const before = this.#worker;
    if (before !== null) {
      before.kill('SIGTERM');
      await once(before, 'exit');
    }
    const log = openSync(join(this.folder, 'worker.log'), 'a');
    const worker = spawn(process.execPath, [main, 'worker'], {
      // As `dev` and the image start it.
      env: { ...workerEnv, ...this.environment() },
      stdio: ['ignore', log, log, 'ipc'],
    });
    this.#children.push(worker);
    this.#worker = worker;
    const [first] = (await Promise.race([once(worker, 'message'), once(worker, 'exit')])) as [
      unknown,
    ];
    if (first !== 'ready')
      throw new Error(readFileSync(join(this.folder, 'worker.log')).toString());
  }

  environment(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? '',
      INVESTIGATION_BASE_URL: this.baseUrl,
      INVESTIGATION_TOKEN: this.token,
      DILIGENCE_ALLOWED_HOSTS: '127.0.0.1',
      CERTIFICATES_RPS: '1000',
      DILIGENCE_DATA_DIR: join(this.folder, 'data'),
      DILIGENCE_ACTOR: 'bench',
      DILIGENCE_PAYLOAD_KEYS: payloadKeys,
      ...this.#credit,
      ...this.#env,
      ...(this.#server && { TEMPORAL_ADDRESS: this.#server.address }),
    };
  }

  get address(): string {
    return this.#server?.address ?? '';
  }

  /** Runs the command line to its end; returns its standard output. */
  async run(args: string[]): Promise<string> {
    const child = spawn(process.execPath, [main, ...args], {
      env: this.environment(),
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    // 3: some rows need a person.
    if (code !== 0 && code !== 3)
      throw new Error(`diligence ${args.join(' ')}: ended with ${code}\n${output}`);
    return output;
  }

  /** Starts the command line; the caller waits for its end. */
  begin(args: string[], stderr: 'inherit' | 'pipe' = 'inherit'): ChildProcess {
    const stdio = ['ignore', 'pipe', stderr] as const;
    return spawn(process.execPath, [main, ...args], {
      env: this.environment(),
      cwd: this.folder,
      stdio: [...stdio],
    });
  }

  /** Processor time used so far by worker and server, in milliseconds. */
  processorMs(): { worker: number; server: number } {
    return { worker: processorMsOf(this.#worker?.pid), server: processorMsOf(this.#server?.pid) };
  }

  /** Most memory that the worker ever held, in MiB. */
  workerPeakMib(): number {
    return peakMibOf(this.#worker?.pid);
  }

  async ask<T>(route: string): Promise<T> {
    const response = await fetch(`${this.#control}/${route}`);
    return (await response.json()) as T;
  }

  async stop(): Promise<void> {
    for (const child of this.#children.reverse()) {
      if (child.exitCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await this.#server?.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export function processorMsOf(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const stat = readFileSync(`/proc/${pid}/stat`).toString();
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
}

export function peakMibOf(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const status = readFileSync(`/proc/${pid}/status`).toString();
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
}
