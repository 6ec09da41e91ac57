import { PostgresServer } from './postgres-server';

/** One server for all files of the project: each store has a schema of its own. */
export default async function setup(): Promise<void> {
  const server = await PostgresServer.start(['fsync=off', 'max_connections=200']);
  process.env['TEST_POSTGRES'] = server.url();
  (globalThis as { postgres?: PostgresServer }).postgres = server;
}
