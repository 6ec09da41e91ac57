import { Command } from 'commander';
import { ConfigError, readEnvironment } from '../../environment';
import { connectClient, engineAddress, type EngineClient } from '../../temporal/connection';
import { runningEngine } from '../../temporal/engine-record';
import { isGrpcStatus } from '../../temporal/grpc-status';
import { findIdKey } from '../../store/sealed/find-id-key';
import { isPostgres, openStore, shownAddress } from '../../store/open-store';
import { registerSearchAttributes } from '../../temporal/search-attributes';
import { print, printJson } from '../cli/terminal';

/** `diligence setup`: prepares a Temporal namespace and a PostgreSQL database before the first job. */
export function setupCommand(): Command {
  return new Command('setup')
    .description(
      'Register the search attributes in the namespace of TEMPORAL_ADDRESS, and bring a store on PostgreSQL to the schema of this program; once, and after an update.',
    )
    .option('--json', 'one JSON document on standard output')
    .action(async (flags: { json?: true }) => {
      await setUp(flags.json === true);
    });
}

async function setUp(json: boolean): Promise<void> {
  const store = await prepareStore();
  if (store !== null && !json) print(`store ${store} is ready`);
  const engine = await connect();
  if (engine === null) {
    if (json) printJson({ store, namespace: null, address: null, searchAttributes: null });
    else print('nothing more to do: the embedded engine sets itself up whenever it starts');
    return;
  }
  try {
    const { namespace, address } = engine;
    await refuseAbsent(engine);
    const { added, present } = await registerSearchAttributes(engine);
    if (json) {
      printJson({ store, namespace, address, searchAttributes: { added, present } });
      return;
    }
    for (const name of added) print(`added    ${name}`);
    for (const name of present) print(`present  ${name}`);
    print(`namespace ${namespace} at ${address} is ready`);
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
  if (record === null) return null;
  const { address, namespace } = record;
  return connectClient({ connectionOptions: {}, address, namespace, dataConverter });
}
