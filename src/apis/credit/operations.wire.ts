import { z } from 'zod';
import type { AnalysisOperation } from '../../domain/credit/operation';
import { ContractError, type CallName } from '../http/errors';
import { parseJson } from '../http/problem';
import { isUnplaced, plainWord, type CreditNames } from './names';

/** The operation's fields beyond its identifier are not shown: any object is one. */
const operationWire = z.record(z.string(), z.unknown());
const idWire = z.union([z.string().min(1).max(200), z.number().int().transform(String)]);
const told = z.string().min(1).nullable().catch(null);
/** What a failed operation may say of it, as an object or as a sentence. */
const failureWire = z.union([
  z.object({ code: told, message: told }),
  z
    .string()
    .min(1)
    .transform((message) => ({ code: null, message })),
]);
/** Where it may stand. */
const failureFields = ['error', 'erro', 'failure', 'falha'];

/** @throws ContractError when the id cannot be read: the outcome of the upload is then unknown */
export function acceptedIdFromWire(call: CallName, names: CreditNames, body: Buffer): string {
  const wire = objectFrom(call, body);
  for (const { name } of names.idFields) {
    const id = idWire.safeParse(wire[name]);
    if (id.success) return id.data;
  }
  const path = names.idFields.map(({ name }) => name).join(' or ');
  throw new ContractError(call, [{ path, code: 'missing_id' }]);
}

/**
 * @param operationId the id asked for: an answer about another operation is not taken for this one
 * @throws ContractError when the body is no JSON object, or of another operation
 */
export function operationFromWire(
  call: CallName,
  names: CreditNames,
  operationId: string,
  body: Buffer,
): AnalysisOperation {
  const wire = objectFrom(call, body);
  const ids = names.idFields.map(({ name }) => idWire.safeParse(wire[name]));
  const id = ids.find(({ success }) => success)?.data;
  if (id !== undefined && id.toLowerCase() !== operationId.toLowerCase()) {
    throw new ContractError(call, [{ path: 'id', code: 'another_operation' }]);
  }
  const statusWord = told.parse(wire[names.statusField.name]);
  const failure = failureIn(wire);
  const failed = statusWord !== null && meansFailed(statusWord, failure !== null, names);
  return {
    operationId,
    state: failed ? 'failed' : 'unsettled',
    statusWord,
    isUnknownWord: statusWord !== null && !failed && isUnknown(statusWord, names),
    failure,
  };
}

function objectFrom(call: CallName, body: Buffer): Record<string, unknown> {
  const parsed = operationWire.safeParse(parseJson(body));
  if (parsed.success) return parsed.data;
  throw new ContractError(call, [{ path: '', code: 'no_json_object' }]);
}

function failureIn(wire: Record<string, unknown>): AnalysisOperation['failure'] {
  for (const field of failureFields) {
    const failure = failureWire.safeParse(wire[field]);
    if (failure.success) return failure.data;
  }
  return null;
}

function meansFailed(statusWord: string, hasFailure: boolean, names: CreditNames): boolean {
  const word = plainWord(statusWord);
  if (names.failedStatuses.includes(word)) return true;
  if (names.failedStatusesSource === 'configured' || !hasFailure) return false;
  // A word of theirs that we cannot place, with an error beside it.
  return names.documentedStatuses.includes(word) && isUnplaced(word);
}

/** Where the document is silent, a word that can be placed is no surprise. */
function isUnknown(statusWord: string, { documentedStatuses }: CreditNames): boolean {
  const word = plainWord(statusWord);
  return documentedStatuses.length > 0 ? !documentedStatuses.includes(word) : isUnplaced(word);
}
