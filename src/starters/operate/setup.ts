import { Command } from 'commander';
import { ConfigError, readEnvironment } from '../../environment';
import { isPostgres, openStore, shownAddress } from '../../store/open-store';
import { findIdKey } from '../../store/sealed/find-id-key';
import { connectClient, engineAddress, type EngineClient } from '../../temporal/connection';
import { runningEngine } from '../../temporal/engine-record';
import { isGrpcStatus } from '../../temporal/grpc-status';
import { registerSearchAttributes } from '../../temporal/search-attributes';
import { printAs } from '../cli/terminal';

/** `diligence setup`: prepares a Temporal namespace and a PostgreSQL database before the first job. */
export function setupCommand(): Command {
  return new Command('setup')
    .description(
      'Register the search attributes in the namespace of TEMPORAL_ADDRESS, and bring a store on PostgreSQL to the schema of this program; once, and after an update.',
    )
    .option('--json', 'one JSON document on standard output')
    .action(setUp);
}

async function setUp({ json }: { json?: true }): Promise<void> {
  const store = await prepareStore();
  const ready = store === null ? [] : [`store ${store} is ready`];
  const engine = await connect();
  if (engine === null) {
    printAs(json, { store, namespace: null, address: null, searchAttributes: null }, [
      ...ready,
      'nothing more to do: the embedded engine sets itself up whenever it starts',
    ]);
    return;
  }
  try {
    const { namespace, address } = engine;
    await refuseAbsent(engine);
    const { added, present } = await registerSearchAttributes(engine);
    printAs(json, { store, namespace, address, searchAttributes: { added, present } }, [
      ...ready,
      ...added.map((name) => `added    ${name}`),
      ...present.map((name) => `present  ${name}`),
      `namespace ${namespace} at ${address} is ready`,
    ]);
  } finally {
    await engine.close();
  }
}

/** @returns the address of a store on PostgreSQL; null for SQLite, which needs no setup */
async function prepareStore(): Promise<string | null> {
  const environment = readEnvironment();
  const { storeUrl, dataDir, idKey: configured } = environment;
  if (!isPostgres(storeUrl)) return null;
  const { idKey } = await findIdKey(dataDir, configured);
  await openStore(environment, idKey);
  return shownAddress(storeUrl);
}

async function refuseAbsent({ connection, namespace, address }: EngineClient): Promise<void> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
  } catch (error) {
    if (!isGrpcStatus(error, 'notFound')) throw error;
    throw new ConfigError(
      'TEMPORAL_NAMESPACE',
      `there is no namespace ${namespace} at ${address}: temporal operator namespace create --namespace ${namespace} --retention 30d`,
    );
  }
}

/** Reads and writes no payloads, so it needs neither keys nor store. */
async function connect(): Promise<EngineClient | null> {
  const engine = engineAddress();
  const dataConverter = {};
  if (engine.kind === 'server') return connectClient({ ...engine, dataConverter });
  const record = await runningEngine(readEnvironment().dataDir);
  return record && connectClient({ connectionOptions: {}, ...record, dataConverter });
}
