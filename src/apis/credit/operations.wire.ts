import { z } from 'zod';
import { ContractError, type CallName } from '../http/errors';
import { parseJson } from '../http/problem';
import { idText } from '../http/tolerant';
import {
  goesOn,
  isUnplaced,
  notItsId,
  plainWord,
  statusLike,
  type CreditNames,
  type FoundName,
} from './names';

/** Fields beyond the identifier are not documented: any object is an operation. */
const operationWire = z.record(z.string(), z.unknown());
const reported = z.string().min(1).nullable().catch(null);
/** The error of a failed operation, an object or a sentence. */
const failureWire = z.union([
  operationWire.transform((wire) => ({
    code: textIn(wire, ['code', 'codigo']),
    message: textIn(wire, ['message', 'mensagem', ...reasonFields]),
  })),
  z
    .string()
    .min(1)
    .transform((message) => ({ code: null, message })),
]);
const failureFields = ['error', 'erro', 'failure', 'falha'];
/** Further fields of the reason when the status says that it failed. */
const reasonFields = ['detail', 'detalhe', 'reason', 'motivo', 'title', 'titulo', 'descricao'];

/** Objects that may wrap the response. Any other one may be of another resource, with its id. */
const envelopes =
  /^(data|dados|result|resultado|item|payload|response|resposta|opera(tion|cao)|analise|analysis)$/i;

/**
 * The id of an accepted upload: in the response, else in its `Location`, else in the only operation inside the
 * response; without a documented field, the only UUID that can be one.
 *
 * @param location the header, empty without one
 * @throws ContractError when the id is unreadable: the outcome of the upload is then unknown
 */
export function acceptedIdFromWire(
  call: CallName,
  names: CreditNames,
  { body, location }: { body: Buffer; location: string },
): string {
  const parsed = parseJson(body);
  const wires = wrappedIn(parsed);
  const idWrappedIn = (wrapped: readonly Wire[]) =>
    only(wrapped.flatMap((wire) => idsIn(wire, names).slice(0, 1)));
  const id =
    idsIn(objectOf(parsed), names)[0] ??
    idAt(location) ??
    idWrappedIn(wires) ??
    idWrappedIn(wires.flatMap(wrappedIn)) ??
    (isAssumed(names.idFields)
      ? onlyUuid(parsed, [...wires, ...wires.flatMap(wrappedIn)])
      : undefined);
  if (id !== undefined) return id;
  const path = names.idFields.map(({ name }) => name).join(' or ');
  throw new ContractError(call, [{ path, code: 'missing_id' }], body);
}

/** An operation as one read of it shows it. */
export interface AnalysisOperation {
  operationId: string;
  /** Never `completed`: only the presence of the result shows that. */
  state: 'unsettled' | 'failed';
  statusWord: string | null;
  /** Neither our lists nor the specification have the word: logged once as a warning. */
  isUnknownWord: boolean;
  failure: z.infer<typeof failureWire> | null;
}

/**
 * @param operationId the requested id: a response about another operation is rejected
 * @throws ContractError when the body is no JSON object, or of another operation
 */
export function operationFromWire(
  call: CallName,
  names: CreditNames,
  operationId: string,
  body: Buffer,
): AnalysisOperation {
  const wire = operationIn(call, names, body);
  const isRequested = (id: string): boolean => id.toLowerCase() === operationId.toLowerCase();
  const ids = idsIn(wire, names);
  // A row may have an id of its own beside the operation's.
  const all = [...ids, ...idsNamed(wire, ['id', 'operationId', 'operation_id'])];
  if (ids.length > 0 && !all.some(isRequested)) {
    throw new ContractError(call, [{ path: 'id', code: 'another_operation' }]);
  }
  const statusWord = statusIn(wire, names);
  const failure = failureIn(wire);
  const failed = statusWord !== null && meansFailed(statusWord, failure !== null, names);
  const reason = failed ? textIn(wire, ['message', 'mensagem', ...reasonFields]) : null;
  return {
    operationId,
    state: failed ? 'failed' : 'unsettled',
    statusWord,
    isUnknownWord: statusWord !== null && !failed && isUnknown(statusWord, names),
    failure: failure ?? (reason === null ? null : { code: null, message: reason }),
  };
}

type Wire = Record<string, unknown>;

/** The response itself, or the only operation inside it if it has no fields of its own. */
function operationIn(call: CallName, names: CreditNames, body: Buffer): Wire {
  const parsed = parseJson(body);
  const wire = objectOf(parsed);
  const tells = (one: Wire): boolean =>
    idsIn(one, names).length > 0 || statusIn(one, names) !== null;
  if (wire !== null && tells(wire)) return wire;
  const wires = wrappedIn(parsed);
  const telling = wires.filter(tells);
  const [wrapped, ...others] =
    telling.length > 0 ? telling : wires.flatMap(wrappedIn).filter(tells);
  if (wrapped !== undefined && others.length === 0) return wrapped;
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
  const ids = fields.map((name) => idText.safeParse(wire?.[name]).data);
  return ids.filter((id) => id !== undefined);
}

/** `.../operations/<id>`, or another path that ends in a UUID and is not of an engine. */
function idAt(location: string): string | undefined {
  const [, folder = '', last = ''] = /([^/]*)\/([^/?#]+)\/?(?:[?#].*)?$/.exec(location) ?? [];
  if (!/^operations$/i.test(folder) && (!isUuid(last) || notItsId.test(folder))) return undefined;
  try {
    return idText.safeParse(decodeURIComponent(last)).data;
  } catch {
    return undefined;
  }
}

const isUuid = (value: unknown): value is string => z.guid().safeParse(value).success;

/** The response itself, or its only member, or one of what it wraps, that can be the id. */
function onlyUuid(parsed: unknown, wires: readonly Wire[]): string | undefined {
  if (isUuid(parsed)) return parsed;
  const objects = [objectOf(parsed) ?? {}, ...wires];
  const members = objects.flatMap((wire) => Object.entries(wire));
  return only(
    members
      .filter(([name]) => !notItsId.test(name))
      .map(([, value]) => value)
      .filter(isUuid),
  );
}

function only<T>(values: readonly T[]): T | undefined {
  const different = new Set(values);
  return different.size === 1 ? [...different][0] : undefined;
}

function isAssumed(fields: readonly FoundName[]): boolean {
  return fields.every(({ source }) => source === 'assumed');
}

/** Without a documented field: its own name, else the only similar one. */
function statusIn(wire: Wire, { statusField }: CreditNames): string | null {
  const word = reported.parse(wire[statusField.name]);
  if (word !== null || !isAssumed([statusField])) return word;
  const alike = Object.entries(wire).filter(([name]) => statusLike.test(name));
  return reported.parse(only(alike.map(([, value]) => value)));
}

function textIn(wire: Wire, fields: readonly string[]): string | null {
  return fields.map((field) => reported.parse(wire[field])).find((text) => text !== null) ?? null;
}

function objectOf(value: unknown): Wire | null {
  const parsed = operationWire.safeParse(value);
  return parsed.success ? parsed.data : null;
}

function failureIn(wire: Wire): z.infer<typeof failureWire> | null {
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
  // An unknown word with an error beside it.
  return names.documentedStatuses.includes(word) && isUnplaced(word);
}

/** Without a document, a word of progress is expected. */
function isUnknown(statusWord: string, { documentedStatuses }: CreditNames): boolean {
  const word = plainWord(statusWord);
  return documentedStatuses.length > 0 ? !documentedStatuses.includes(word) : !goesOn(word);
}
