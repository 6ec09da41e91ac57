import type { WorkflowService } from '@temporalio/client';
import { ConfigError } from '../environment';
import { isGrpcStatus } from './grpc-status';

/** Key of the store's id in the data of a namespace. */
const dataKey = 'diligence.store';

/** A namespace through a connection of a client or worker. */
interface Engine {
  connection: { workflowService: WorkflowService };
  namespace: string;
  address: string;
}

/**
 * Assigns a namespace to a store when a worker starts: two stores on one namespace do not know each other's claims,
 * and would buy the same subject twice.
 *
 * @throws ConfigError when another store has it
 */
export async function takeNamespace(engine: Engine, storeId: string): Promise<void> {
  const { connection, namespace } = engine;
  if ((await storeOf(engine)) === null) {
    try {
      await connection.workflowService.updateNamespace({
        namespace,
        updateInfo: { data: { [dataKey]: storeId } },
      });
    } catch (error) {
      if (!isDenied(error)) throw error;
    }
  }
  await refuseOtherStore(engine, storeId);
}

/** @throws ConfigError when the namespace belongs to another store */
export async function refuseOtherStore(engine: Engine, storeId: string): Promise<void> {
  const taken = await storeOf(engine);
  if (taken === null || taken === storeId) return;
  const { namespace, address } = engine;
  throw new ConfigError(
    'DILIGENCE_STORE_URL',
    `is the store ${storeId.slice(0, 8)}, but namespace ${namespace} at ${address} belongs to the store ${taken.slice(0, 8)}, ` +
      `and two stores would buy the same thing twice: use that store (DILIGENCE_STORE_URL or DILIGENCE_DATA_DIR), or another namespace (TEMPORAL_NAMESPACE). ` +
      `Only if that store is gone for good: temporal operator namespace update -n ${namespace} --data ${dataKey}=${storeId}`,
  );
}

async function storeOf({ address, connection, namespace }: Engine): Promise<string | null> {
  try {
    const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace });
    return namespaceInfo?.data?.[dataKey] ?? null;
  } catch (error) {
    if (isDenied(error)) return null;
    if (isGrpcStatus(error, 'notFound'))
      throw new ConfigError(
        'TEMPORAL_NAMESPACE',
        `the server at ${address} has no namespace ${namespace}: name another, or temporal operator namespace create --namespace ${namespace} --retention 30d`,
      );
    throw error;
  }
}

/** Temporal Cloud restricts namespaces to its own tools: there the queue names must suffice. */
function isDenied(error: unknown): boolean {
  return isGrpcStatus(error, 'permissionDenied', 'unimplemented');
}
