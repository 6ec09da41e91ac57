import type { PostgresServer } from './postgres-server';

export default async function teardown(): Promise<void> {
  await (globalThis as { postgres?: PostgresServer }).postgres?.stop();
}
