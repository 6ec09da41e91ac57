import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import {
  startDevServer,
  type DevServer,
  type DevServerOptions,
} from '../../src/temporal/dev-server';

/** A folder for dev servers, and those that were started in it. Gone after the test. */
export class DevServers {
  readonly folder = mkdtempSync(join(tmpdir(), 'diligence-dev-'));
  readonly data = join(this.folder, 'data');
  readonly recordPath = join(this.data, 'temporal-server.json');
  readonly #started: DevServer[] = [];

  /** On the data directory, by the binary that the layer has found, unless it is told otherwise. */
  async start(more: Partial<DevServerOptions> = {}): Promise<DevServer> {
    const server = await startDevServer({
      executable: process.env.TEMPORAL_CLI_PATH ?? '',
      dataDir: this.data,
      logFile: join(this.folder, 'log', 'temporal.log'),
      env: process.env,
      ...more,
    });
    this.#started.push(server);
    return server;
  }

  record(): Record<string, unknown> {
    return JSON.parse(readFileSync(this.recordPath, 'utf8')) as Record<string, unknown>;
  }

  changeRecord(fields: object): void {
    writeFileSync(this.recordPath, JSON.stringify({ ...this.record(), ...fields }));
  }

  /** A CLI that claims the version, and does as told instead of serving. */
  fakeCli(version: string, serves = 'exit 0'): string {
    const path = join(this.folder, `temporal-${version}`);
    writeFileSync(
      path,
      `#!/bin/sh
if [ "$1" = --version ]; then echo 'temporal version 1.5.1 (Server ${version}, UI 2.42.1)'; exit; fi
${serves}
`,
      { mode: 0o755 },
    );
    return path;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#started.splice(0).map((server) => server.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function askServer<T>(
  server: DevServer,
  ask: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect({ address: server.address });
  try {
    return await ask(connection);
  } finally {
    await connection.close();
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
