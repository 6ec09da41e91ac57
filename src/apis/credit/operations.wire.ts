import { z } from 'zod';
import type { AnalysisOperation } from '../../domain/credit/operation';
import { ContractError, type CallName } from '../http/errors';
import { parseJson } from '../http/problem';
import { goesOn, isUnplaced, plainWord, type CreditNames } from './names';

/** The operation's fields beyond its identifier are not shown: any object is one. */
const operationWire = z.record(z.string(), z.unknown());
const idWire = z.union([
  z
    .string()
    .min(1)
    .max(200)
    // In a path they would mean another resource.
    .refine((id) => id !== '.' && id !== '..'),
  z.number().int().transform(String),
]);
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

/** Objects in which an answer may be wrapped. Any other one may be of another thing, with its id. */
const envelopes =
  /^(data|dados|result|resultado|item|payload|response|resposta|opera(tion|cao)|analise|analysis)$/i;

/**
 * The id of an accepted upload: in the answer, else in its `Location`, else in the only operation
 * that the answer wraps.
 *
 * @param location the header, empty without one
 * @throws ContractError when the id cannot be read: the outcome of the upload is then unknown
 */
export function acceptedIdFromWire(
  call: CallName,
  names: CreditNames,
  { body, location }: { body: Buffer; location: string },
): string {
  const parsed = parseJson(body);
  const wrapped = new Set(wrappedIn(parsed).flatMap((wire) => idsIn(wire, names).slice(0, 1)));
  const id =
    idsIn(objectOf(parsed), names)[0] ??
    idAt(location) ??
    (wrapped.size === 1 ? [...wrapped][0] : undefined);
  if (id !== undefined) return id;
  const path = names.idFields.map(({ name }) => name).join(' or ');
  throw new ContractError(call, [{ path, code: 'missing_id' }], body);
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
  const wire = operationIn(call, names, body);
  const isAsked = (id: string): boolean => id.toLowerCase() === operationId.toLowerCase();
  const ids = idsIn(wire, names);
  // A row may have an id of its own beside the operation's.
  const all = [...ids, ...idsNamed(wire, ['id', 'operationId', 'operation_id'])];
  if (ids.length > 0 && !all.some(isAsked)) {
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

type Wire = Record<string, unknown>;

/** The answer itself, or the only operation that it wraps when it tells nothing of its own. */
function operationIn(call: CallName, names: CreditNames, body: Buffer): Wire {
  const parsed = parseJson(body);
  const wire = objectOf(parsed);
  const tells = (one: Wire): boolean =>
    idsIn(one, names).length > 0 || told.parse(one[names.statusField.name]) !== null;
  if (wire !== null && tells(wire)) return wire;
  const [only, ...others] = wrappedIn(parsed).filter(tells);
  if (only !== undefined && others.length === 0) return only;
  if (wire !== null) return wire;
  throw new ContractError(call, [{ path: '', code: 'no_json_object' }]);
}

function wrappedIn(parsed: unknown): Wire[] {
  const members = Object.entries(objectOf(parsed) ?? {}).filter(([name]) => envelopes.test(name));
  const candidates = Array.isArray(parsed) ? [parsed] : members.map(([, value]) => value);
  return candidates
    .map((value: unknown) =>
      objectOf(Array.isArray(value) && value.length === 1 ? value[0] : value),
    )
    .filter((wire) => wire !== null);
}

function idsIn(wire: Wire | null, { idFields }: CreditNames): string[] {
  return idsNamed(
    wire,
    idFields.map(({ name }) => name),
  );
}

function idsNamed(wire: Wire | null, fields: readonly string[]): string[] {
  const ids = fields.map((name) => idWire.safeParse(wire?.[name]).data);
  return ids.filter((id) => id !== undefined);
}

/** `.../operations/<id>` */
function idAt(location: string): string | undefined {
  const last = /\/operations\/([^/?#]+)\/?(?:[?#].*)?$/i.exec(location)?.[1];
  try {
    return idWire.safeParse(decodeURIComponent(last ?? '')).data;
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Wire | null {
  const parsed = operationWire.safeParse(value);
  return parsed.success ? parsed.data : null;
}

function failureIn(wire: Wire): AnalysisOperation['failure'] {
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

/** Where the document is silent, a word of an operation that goes on is no surprise. */
function isUnknown(statusWord: string, { documentedStatuses }: CreditNames): boolean {
  const word = plainWord(statusWord);
  return documentedStatuses.length > 0 ? !documentedStatuses.includes(word) : !goesOn(word);
}
