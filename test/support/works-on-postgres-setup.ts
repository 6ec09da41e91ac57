import type { Config } from '@jest/types';
import startPostgres from './postgres-setup';
import startServers from './servers-setup';

/** Temporal servers, and PostgreSQL for what is stored. */
// oxlint-disable-next-line import/no-default-export -- jest calls the default export
export default async function startBoth(config: Config.GlobalConfig): Promise<void> {
  await Promise.all([startServers(config), startPostgres()]);
}
