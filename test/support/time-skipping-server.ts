import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { DataConverter } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { registerSearchAttributes } from '../../src/temporal/search-attributes';
import { freePort } from '../../src/temporal/dev-server';

/**
 * Time-skipping servers: one for each jest worker that needs one, for the whole run, started by the
 * first file that does. A file that finds the clock of its server locked starts another one.
 */
const variable = 'TIME_SKIPPING_SERVERS';

const startWithinMs = 60_000;
/** A clock that is free passes an hour at once; one that is locked takes an hour. */
const passesWithinMs = 3_000;

interface Known {
  address: string;
  pid: number;
}

/** Before the run: where its servers are noted. A run that is broken off takes them along, too. */
export async function prepareTimeSkipping(): Promise<void> {
  process.env[variable] = await mkdtemp(join(tmpdir(), 'diligence-clocks-'));
  process.once('exit', stopTimeSkipping);
}

export function stopTimeSkipping(): void {
  const folder = folderOfRun();
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) stop(noted(join(folder, name)));
  rmSync(folder, { recursive: true });
}

/** The server of this jest worker. To be torn down, which leaves the server running. */
export async function timeSkippingEnvironment(
  dataConverter: DataConverter,
): Promise<TestWorkflowEnvironment> {
  const note = join(folderOfRun(), String(process.env.JEST_WORKER_ID));
  const known = existsSync(note) ? noted(note) : null;
  if (known !== null) {
    const env = await connect(known.address, dataConverter).catch(() => null);
    if (env !== null && (await isFree(env))) return env;
    // Not torn down: the SDK tries its calls again on a timer, which throws on a closed connection.
    stop(known);
  }
  const started = await start();
  await writeFile(note, JSON.stringify(started));
  const env = await untilItAnswers(started.address, dataConverter);
  await registerSearchAttributes({ connection: env.connection, namespace: 'default' });
  return env;
}

async function start(): Promise<Known> {
  const path = process.env.TEMPORAL_TEST_SERVER_PATH;
  if (path === undefined) throw new Error('TEMPORAL_TEST_SERVER_PATH is not set: run by jest');
  const port = await freePort();
  const { pid } = spawn(path, [String(port)], { stdio: 'ignore', detached: true });
  if (pid === undefined) throw new Error(`${path} cannot be started`);
  return { address: `127.0.0.1:${port}`, pid };
}

async function untilItAnswers(
  address: string,
  dataConverter: DataConverter,
): Promise<TestWorkflowEnvironment> {
  const giveUpAt = Date.now() + startWithinMs;
  for (;;) {
    try {
      return await connect(address, dataConverter);
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await wait(100);
    }
  }
}

/** The SDK connects only to servers that it has started with time that skips; what it does then is private. */
function connect(address: string, dataConverter: DataConverter): Promise<TestWorkflowEnvironment> {
  const { create } = TestWorkflowEnvironment as unknown as {
    create: (this: unknown, options: object) => Promise<TestWorkflowEnvironment>;
  };
  return create.call(TestWorkflowEnvironment, {
    server: { type: 'existing' },
    address,
    supportsTimeSkipping: true,
    client: { dataConverter },
  });
}

async function isFree(env: TestWorkflowEnvironment): Promise<boolean> {
  return env.connection
    .withDeadline(Date.now() + passesWithinMs, () => env.sleep('1 hour'))
    .then(() => true)
    .catch(() => false);
}

function stop({ pid }: Known): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function noted(file: string): Known {
  return JSON.parse(readFileSync(file, 'utf8')) as Known;
}

function folderOfRun(): string {
  const folder = process.env[variable];
  if (folder === undefined) throw new Error(`${variable}: set by the jest set-up`);
  return folder;
}
