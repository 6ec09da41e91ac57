import { stopPostgres } from './postgres-setup';
import { stopServers } from './servers-setup';

// oxlint-disable-next-line import/no-default-export -- jest calls the default export
export default async function stopBoth(): Promise<void> {
  await Promise.all([stopServers(), stopPostgres()]);
}
