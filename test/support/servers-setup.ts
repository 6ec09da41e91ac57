import type { Config } from '@jest/types';
import { findTemporalCli } from '../../src/temporal/temporal-cli';
import { findTestServer } from './find-test-server';
import { startTemporalServers, type TemporalServers } from './temporal-servers';
import { prepareTimeSkipping, stopTimeSkipping } from './time-skipping-server';

let servers: TemporalServers | null = null;

/**
 * Before the layers that need a real server: finds the two binaries (or builds them, once), leaves
 * their paths where every jest worker sees them, and starts a Temporal server for each worker.
 * Without one of them the run fails with the cure.
 */
// oxlint-disable-next-line import/no-default-export -- jest calls the default export
export default async function startServers({ maxWorkers }: Config.GlobalConfig): Promise<void> {
  const search = {
    env: process.env,
    // Not to standard output, where `jest --json` prints.
    say: (line: string) => void process.stderr.write(`${line}\n`),
  };
  // Of two projects with servers, one of which has more to prepare.
  if (servers !== null) return;
  process.env.TEMPORAL_CLI_PATH = await findTemporalCli(search);
  process.env.TEMPORAL_TEST_SERVER_PATH = await findTestServer(search);
  await prepareTimeSkipping();
  servers = await startTemporalServers(maxWorkers);
}

export async function stopServers(): Promise<void> {
  stopTimeSkipping();
  await servers?.stop();
  servers = null;
}
