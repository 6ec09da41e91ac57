import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError } from '@temporalio/client';
import type { OperatorService, WorkflowService } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import {
  searchAttributeNames as names,
  searchAttributes,
  type SearchAttributeName as Name,
} from '../domain/core/search-attributes';
import { ConfigError } from '../environment';
import { isGrpcStatus } from './grpc-status';

const { INDEXED_VALUE_TYPE_KEYWORD, INDEXED_VALUE_TYPE_BOOL } =
  temporal.api.enums.v1.IndexedValueType;
/** `word`: as the Temporal CLI spells it. */
const types = {
  KEYWORD: { indexed: INDEXED_VALUE_TYPE_KEYWORD, word: 'Keyword', sample: "'none'" },
  BOOL: { indexed: INDEXED_VALUE_TYPE_BOOL, word: 'Bool', sample: 'true' },
};
const typeOf = (name: Name) => types[searchAttributes[name]];

const usableWithinMs = 60_000;

/** A namespace through a connection of a client or worker. */
interface Engine {
  connection: { operatorService: OperatorService; workflowService: WorkflowService };
  namespace: string;
}

/**
 * Registers our search attributes in the namespace. Idempotent.
 *
 * @throws ConfigError when one exists with another type, when there is no room for one, and where
 *   the server leaves them to other tools (Temporal Cloud)
 */
export async function registerSearchAttributes(
  engine: Engine,
): Promise<{ added: Name[]; present: Name[] }> {
  const added: Name[] = [];
  // The time-skipping server cannot list them; each add reports whether it exists.
  for (const name of (await missingSearchAttributes(engine)) ?? names)
    if (await add(engine, name)) added.push(name);
  if (added.length > 0) await untilUsable(engine);
  return { added, present: names.filter((name) => !added.includes(name)) };
}

/**
 * The missing ones; null when the server does not list them.
 *
 * @throws ConfigError when one exists with another type
 */
export async function missingSearchAttributes(engine: Engine): Promise<Name[] | null> {
  const { connection, namespace } = engine;
  try {
    const { customAttributes: found } = await connection.operatorService.listSearchAttributes({
      namespace,
    });
    for (const name of names) {
      if (found[name] == null || found[name] === typeOf(name).indexed) continue;
      throw refusal(
        `${namespace} has the search attribute ${name} with another type than ${typeOf(name).word}: ` +
          `use another namespace, or, if nothing else uses it, \`temporal operator search-attribute remove --namespace ${namespace} --name ${name}\` and \`diligence setup\` again`,
      );
    }
    return names.filter((name) => found[name] === undefined);
  } catch (error) {
    if (isDenied(error)) return null;
    throw error;
  }
}

/**
 * Before jobs are started and before a worker polls: without them starts are refused, and workflow tasks fail.
 *
 * @throws ConfigError that names what is missing
 */
export async function refuseMissingSearchAttributes(engine: Engine): Promise<void> {
  const missing = (await missingSearchAttributes(engine)) ?? [];
  if (missing.length > 0)
    throw refusal(
      `${engine.namespace} lacks the search attributes ${missing.join(', ')}: run \`diligence setup\` once`,
    );
}

/** Commands of Temporal's tools that add them. */
export function creationCommands(namespace: string): string[] {
  return names.map(
    (name) =>
      `temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${typeOf(name).word}`,
  );
}

/** @returns false when it existed */
async function add({ connection, namespace }: Engine, name: Name): Promise<boolean> {
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: { [name]: typeOf(name).indexed },
    });
    return true;
  } catch (error) {
    if (isGrpcStatus(error, 'alreadyExists')) return false;
    if (isDenied(error))
      throw refusal(
        `${namespace} does not let us add search attributes: have its operator run these (on Temporal Cloud: the page of the namespace, or tcld namespace search-attributes add)\n` +
          creationCommands(namespace).join('\n'),
      );
    if (isGrpcServiceError(error) && isGrpcStatus(error, 'invalidArgument'))
      throw refusal(
        `${namespace} does not take our search attributes (${error.details}): use a namespace of its own for diligence`,
      );
    throw error;
  }
}

/** A server caches search attributes, and refuses a new one until its cache is refreshed. */
async function untilUsable({ connection, namespace }: Engine): Promise<void> {
  const query = names.map((name) => `${name} = ${typeOf(name).sample}`).join(' AND ');
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

const isDenied = (error: unknown): boolean =>
  isGrpcStatus(error, 'permissionDenied', 'unimplemented', 'unauthenticated');

const refusal = (text: string) => new ConfigError('TEMPORAL_NAMESPACE', `namespace ${text}`);
