import { isGrpcServiceError } from '@temporalio/client';
import type { WorkflowService } from '@temporalio/client';
import { ConfigError } from '../environment';

/** Where the id of the archive stands among the data of a namespace. */
const dataKey = 'diligence.archive';

const grpcPermissionDenied = 7;
const grpcUnimplemented = 12;

/** A namespace by way of a connection: a client's or a worker's. */
interface Engine {
  connection: { workflowService: WorkflowService };
  namespace: string;
  address: string;
}

/**
 * Takes a namespace for an archive, at the start of a worker: two archives on one namespace know
 * nothing of each other's claims, and would buy the same thing twice.
 *
 * @throws ConfigError when another archive has it
 */
export async function takeNamespace(engine: Engine, archiveId: string): Promise<void> {
  const { connection, namespace } = engine;
  if ((await archiveOf(engine)) === null) {
    try {
      await connection.workflowService.updateNamespace({
        namespace,
        updateInfo: { data: { [dataKey]: archiveId } },
      });
    } catch (error) {
      if (!isDenied(error)) throw error;
    }
  }
  await refuseOtherArchive(engine, archiveId);
}

/** @throws ConfigError when the namespace has been taken for another archive than this one */
export async function refuseOtherArchive(engine: Engine, archiveId: string): Promise<void> {
  const taken = await archiveOf(engine);
  if (taken === null || taken === archiveId) return;
  const { namespace, address } = engine;
  throw new ConfigError(
    'DILIGENCE_ARCHIVE_URL',
    `is the archive ${archiveId.slice(0, 8)}, but namespace ${namespace} at ${address} belongs to the archive ${taken.slice(0, 8)}, ` +
      `and two archives would buy the same thing twice: use that archive (DILIGENCE_ARCHIVE_URL or DILIGENCE_DATA_DIR), or another namespace (TEMPORAL_NAMESPACE). ` +
      `Only if that archive is gone for good: temporal operator namespace update -n ${namespace} --data ${dataKey}=${archiveId}`,
  );
}

async function archiveOf({ connection, namespace }: Engine): Promise<string | null> {
  try {
    const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace });
    return namespaceInfo?.data?.[dataKey] ?? null;
  } catch (error) {
    if (isDenied(error)) return null;
    throw error;
  }
}

/** Temporal Cloud keeps namespaces to its own tools: there the names of the queues must do. */
function isDenied(error: unknown): boolean {
  const denied: readonly number[] = [grpcPermissionDenied, grpcUnimplemented];
  return isGrpcServiceError(error) && denied.includes(error.code);
}
