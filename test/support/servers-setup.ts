import { findTemporalCli } from '../../src/temporal/tools-cli';
import { findTestServer } from '../../src/temporal/tools-test-server';

/**
 * Before the layers that need a real server: finds the two binaries (or builds them, once) and leaves
 * their paths where every jest worker sees them. Without one of them the run fails with the cure.
 */
// oxlint-disable-next-line import/no-default-export -- jest calls the default export
export default async function findServers(): Promise<void> {
  const search = {
    env: process.env,
    // Not to standard output, where `jest --json` prints.
    say: (line: string) => void process.stderr.write(`${line}\n`),
  };
  process.env.TEMPORAL_CLI_PATH = await findTemporalCli(search);
  process.env.TEMPORAL_TEST_SERVER_PATH = await findTestServer(search);
}
