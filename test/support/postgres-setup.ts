import { PostgresServer } from './postgres-server';

let server: PostgresServer | null = null;

/** One server for the run: each store has a schema of its own, each installation a database. */
// oxlint-disable-next-line import/no-default-export -- jest calls the default export
export default async function startPostgres(): Promise<void> {
  if (server !== null) return;
  server = await PostgresServer.start(['fsync=off', 'max_connections=200']);
  process.env['TEST_POSTGRES'] = server.url();
}

export async function stopPostgres(): Promise<void> {
  await server?.stop();
  server = null;
}
