import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import type { OperatorService, WorkflowService } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import {
  searchAttributeNames,
  searchAttributes,
  type SearchAttributeName,
} from '../domain/core/search-attributes';
import { ConfigError } from '../environment';
import { isGrpcStatus } from './grpc-status';

const types = temporal.api.enums.v1.IndexedValueType;
const indexedTypes = {
  KEYWORD: types.INDEXED_VALUE_TYPE_KEYWORD,
  BOOL: types.INDEXED_VALUE_TYPE_BOOL,
};
type FoundTypes = Partial<Record<string, temporal.api.enums.v1.IndexedValueType | null>>;
/** As the Temporal CLI spells them. */
const typeWords = { KEYWORD: 'Keyword', BOOL: 'Bool' };

const usableWithinMs = 60_000;

/** A namespace through a connection of a client or worker. */
interface Engine {
  connection: { operatorService: OperatorService; workflowService: WorkflowService };
  namespace: string;
}

export interface Registration {
  added: SearchAttributeName[];
  present: SearchAttributeName[];
}

/**
 * Registers our search attributes in the namespace. Idempotent.
 *
 * @throws ConfigError when one exists with another type, when there is no room for one, and where
 *   the server leaves them to other tools (Temporal Cloud)
 */
export async function registerSearchAttributes(engine: Engine): Promise<Registration> {
  const found = await listed(engine);
  if (found !== null) refuseOtherTypes(engine.namespace, found);
  // The time-skipping server cannot list them; each add reports whether it exists.
  const missing = searchAttributeNames.filter((name) => found?.[name] === undefined);
  const added: SearchAttributeName[] = [];
  for (const name of missing) if (await add(engine, name)) added.push(name);
  if (added.length > 0) await untilUsable(engine);
  return { added, present: searchAttributeNames.filter((name) => !added.includes(name)) };
}

/** The missing ones; null when the server does not list them. */
export async function missingSearchAttributes(
  engine: Engine,
): Promise<SearchAttributeName[] | null> {
  const found = await listed(engine);
  if (found === null) return null;
  refuseOtherTypes(engine.namespace, found);
  return searchAttributeNames.filter((name) => found[name] === undefined);
}

/**
 * Before jobs are started and before a worker polls: without them starts are refused, and workflow tasks fail.
 *
 * @throws ConfigError that names what is missing
 */
export async function refuseMissingSearchAttributes(engine: Engine): Promise<void> {
  const missing = await missingSearchAttributes(engine);
  if (missing === null || missing.length === 0) return;
  throw new ConfigError(
    'TEMPORAL_NAMESPACE',
    `namespace ${engine.namespace} lacks the search attributes ${missing.join(', ')}: run \`diligence setup\` once`,
  );
}

/** Commands of Temporal's tools that add them. */
export function creationCommands(namespace: string): string[] {
  return searchAttributeNames.map(
    (name) =>
      `temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${typeWords[searchAttributes[name]]}`,
  );
}

/** Types by name; null without permission. */
async function listed({ connection, namespace }: Engine): Promise<FoundTypes | null> {
  try {
    const answer = await connection.operatorService.listSearchAttributes({ namespace });
    return answer.customAttributes;
  } catch (error) {
    if (isGrpcStatus(error, 'permissionDenied', 'unimplemented', 'unauthenticated')) {
      return null;
    }
    throw error;
  }
}

function refuseOtherTypes(namespace: string, found: FoundTypes): void {
  for (const name of searchAttributeNames) {
    const type = found[name];
    if (type == null || type === indexedTypes[searchAttributes[name]]) continue;
    throw new ConfigError(
      'TEMPORAL_NAMESPACE',
      `namespace ${namespace} has the search attribute ${name} with another type than ${typeWords[searchAttributes[name]]}: ` +
        `use another namespace, or, if nothing else uses it, \`temporal operator search-attribute remove --namespace ${namespace} --name ${name}\` and \`diligence setup\` again`,
    );
  }
}

/** @returns false when it existed */
async function add({ connection, namespace }: Engine, name: SearchAttributeName): Promise<boolean> {
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: { [name]: indexedTypes[searchAttributes[name]] },
    });
    return true;
  } catch (error) {
    if (isGrpcStatus(error, 'alreadyExists')) return false;
    throw explained(error, namespace);
  }
}

function explained(error: unknown, namespace: string): unknown {
  if (isGrpcStatus(error, 'permissionDenied', 'unimplemented', 'unauthenticated')) {
    return new ConfigError(
      'TEMPORAL_NAMESPACE',
      `namespace ${namespace} does not let us add search attributes: have its operator run these (on Temporal Cloud: the page of the namespace, or tcld namespace search-attributes add)\n` +
        creationCommands(namespace).join('\n'),
    );
  }
  if (isGrpcServiceError(error) && isGrpcStatus(error, 'invalidArgument')) {
    return new ConfigError(
      'TEMPORAL_NAMESPACE',
      `namespace ${namespace} does not take our search attributes (${error.details}): use a namespace of its own for diligence`,
    );
  }
  return error;
}

/** A server caches search attributes, and refuses a new one until its cache is refreshed. */
async function untilUsable({ connection, namespace }: Engine): Promise<void> {
  const query = searchAttributeNames
    .map((name) => `${name} = ${searchAttributes[name] === 'BOOL' ? 'true' : "'none'"}`)
    .join(' AND ');
  for (const deadlineAt = Date.now() + usableWithinMs; ; await sleep(200)) {
    try {
      await connection.workflowService.listWorkflowExecutions({ namespace, query, pageSize: 1 });
      return;
    } catch (error) {
      if (isGrpcStatus(error, 'unimplemented')) return;
      if (!isGrpcStatus(error, 'invalidArgument') || Date.now() > deadlineAt) throw error;
    }
  }
}
