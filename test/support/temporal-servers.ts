import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevServer, type DevServer } from '../../src/temporal/dev-server';
import { hasEnded } from '../../src/temporal/processes';

/**
 * Temporal servers for tests over real processes: one for each jest worker and the whole run, in
 * memory. Installations stand in namespaces of their own, each for one store.
 */
const variable = 'TEMPORAL_TEST_ADDRESSES';

export interface TemporalServers {
  stop(): Promise<void>;
}

/** Before the run: starts as many as there are jest workers, and leaves their addresses to them. */
export async function startTemporalServers(count: number): Promise<TemporalServers> {
  const executable = process.env.TEMPORAL_CLI_PATH;
  if (executable === undefined) throw new Error('TEMPORAL_CLI_PATH: set by the jest set-up');
  const folder = await mkdtemp(join(tmpdir(), 'diligence-servers-'));
  const servers: DevServer[] = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      startDevServer({ executable, logFile: join(folder, `${n}.log`), env: process.env }),
    ),
  );
  process.env[variable] = servers.map(({ address }) => address).join();
  // They are leaders of their own groups: a run that is broken off must take them along.
  const kill = (): void => {
    for (const { pid } of servers) if (!hasEnded(pid)) process.kill(pid, 'SIGKILL');
  };
  process.once('exit', kill);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  return {
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Address of the server of this jest worker. */
export function sharedServer(): string {
  const address = process.env[variable]?.split(',')[Number(process.env.JEST_WORKER_ID) - 1];
  if (address === undefined) throw new Error(`${variable}: set by the jest set-up`);
  return address;
}
