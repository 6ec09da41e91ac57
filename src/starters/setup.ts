import { isGrpcServiceError } from '@temporalio/client';
import { Command } from 'commander';
import { ConfigError, readEnvironment } from '../environment';
import { connectClient, engineAddress, type EngineClient } from '../temporal/connection';
import { runningEngine } from '../temporal/engine-record';
import { registerSearchAttributes } from '../temporal/search-attributes';
import { print, printJson } from './terminal';

/** `diligence setup`: what a Temporal namespace needs before work is started in it. */
export function setupCommand(): Command {
  return new Command('setup')
    .description('Register the search attributes in the namespace of TEMPORAL_ADDRESS; once.')
    .option('--json', 'one JSON document on standard output')
    .action(async (flags: { json?: true }) => {
      await setUp(flags.json === true);
    });
}

async function setUp(json: boolean): Promise<void> {
  const engine = await connect();
  if (engine === null) {
    if (json) printJson({ namespace: null, address: null, searchAttributes: null });
    else print('nothing to do: the embedded engine sets itself up whenever it starts');
    return;
  }
  try {
    const { namespace, address } = engine;
    await refuseAbsent(engine);
    const { added, present } = await registerSearchAttributes(engine);
    if (json) {
      printJson({ namespace, address, searchAttributes: { added, present } });
      return;
    }
    for (const name of added) print(`added    ${name}`);
    for (const name of present) print(`present  ${name}`);
    print(`namespace ${namespace} at ${address} is ready`);
  } finally {
    await engine.close();
  }
}

async function refuseAbsent({ connection, namespace, address }: EngineClient): Promise<void> {
  const grpcNotFound = 5;
  try {
    await connection.workflowService.describeNamespace({ namespace });
  } catch (error) {
    const code: number | null = isGrpcServiceError(error) ? error.code : null;
    if (code !== grpcNotFound) throw error;
    throw new ConfigError(
      'TEMPORAL_NAMESPACE',
      `there is no namespace ${namespace} at ${address}: temporal operator namespace create --namespace ${namespace} --retention 30d`,
    );
  }
}

/** Reads and writes no payloads, and so needs neither keys nor store. */
async function connect(): Promise<EngineClient | null> {
  const place = engineAddress();
  const dataConverter = {};
  if (place.kind === 'server') return connectClient({ ...place, dataConverter });
  const record = await runningEngine(readEnvironment().dataDir);
  if (record === null) return null;
  const { address, namespace } = record;
  return connectClient({ connectionOptions: {}, address, namespace, dataConverter });
}
