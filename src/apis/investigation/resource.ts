import { z } from 'zod';
import { callTo, type HttpCall } from '../http/call';
import { ContractError, jsonApiDocument, type CallName } from '../http/errors';
import type { CallPriority } from '../http/limiter';
import { parseJson } from '../http/problem';
import type { Service } from '../http/service';
import { idText, parseWire } from '../http/tolerant';
import { isSameId } from './wire/wire-fields';

/** The decoded and the raw response, which may hold signed addresses. */
export type Answer<Name extends string, T> = Record<Name, T> & { answer: object };

/** What we call it, how it is read, and our field with its id. */
export interface Shape<Name extends string, T extends object> {
  name: Name;
  wire: z.ZodType<T>;
  id: keyof T;
  /** Of a response about one; default: a report of unknown size fits. */
  maxBytes?: number;
}

/** Calls about one kind of resource. Retries nothing. */
export class ResourceApi<Name extends string, T extends object> {
  readonly service: Service;
  /** Total time of one call; `answerBy` of an attempt includes it. */
  readonly timeoutMs: number;
  protected readonly shape: Shape<Name, T>;

  constructor(service: Service, timeoutMs: number, shape: Shape<Name, T>) {
    this.service = service;
    this.timeoutMs = timeoutMs;
    this.shape = shape;
  }

  protected callTo(
    method: string,
    pathTemplate: string,
    ids: Readonly<Record<string, string>> = {},
  ): HttpCall {
    const { maxBytes = 16 * 1024 * 1024 } = this.shape;
    return callTo(method, pathTemplate, ids, { timeoutMs: this.timeoutMs, maxBytes });
  }

  /**
   * @param wanted as of `resourceFromWire`
   * @throws ContractError as `resourceFromWire`
   */
  protected async answerTo(
    call: HttpCall,
    wanted: string | null,
    priority: CallPriority,
    signal?: AbortSignal,
  ): Promise<Answer<Name, T>> {
    const answer = resourceIn((await this.service.call(call, priority, signal)).body) as object;
    const { name, wire, id: field } = this.shape;
    const read = resourceFromWire(wire, call, answer, [field, wanted]);
    return { [name]: read, answer } as Answer<Name, T>;
  }
}

/** The resource in a body, also alone under `data`; undefined: no JSON. A JSON:API document stays as it is. */
export function resourceIn(body: Buffer): unknown {
  const answer = parseJson(body);
  if (!has(answer, 'data')) return answer;
  const inner = z.object({ data: z.looseObject({}) }).safeParse(answer).data?.data;
  const isBeside =
    inner !== undefined && Object.keys(answer as object).some((name) => isId.test(name));
  return inner === undefined || 'attributes' in inner || isBeside ? answer : inner;
}

const isId = /^(?:certidao_)?id$/;

const resource = z.object({ id: idText, attributes: z.looseObject({}) });
const wrapped = z.object({ data: resource });

/** The resource of a JSON:API document: its fields are where no schema of ours looks for them. */
export function jsonApiResource(answer: unknown): z.infer<typeof resource> | null {
  if (!has(answer, 'data') && !has(answer, 'attributes')) return null;
  return wrapped.safeParse(answer).data?.data ?? resource.safeParse(answer).data ?? null;
}

/** Asked first: a parse that fails takes longer than all else that a response takes. */
function has(answer: unknown, name: string): boolean {
  return typeof answer === 'object' && answer !== null && name in answer;
}

/**
 * The resource in a response. Ids may differ in upper and lower case.
 *
 * @param wanted its field with the id, and the requested id; null: just created
 * @throws ContractError when a field that we rely on is missing, or it is about another resource
 */
export function resourceFromWire<T extends object>(
  schema: z.ZodType<T>,
  call: CallName,
  answer: unknown,
  [field, wanted]: [keyof T, string | null],
): T {
  const found = jsonApiResource(answer);
  if (found !== null && call.method === 'GET')
    throw new ContractError(call, [{ path: 'attributes', code: jsonApiDocument }]);
  // An id in hand is never thrown away.
  const read = parseWire(schema, call, wanted === null ? (found ?? answer) : answer);
  if (wanted === null || isSameId(String(read[field]), wanted)) return read;
  throw new ContractError(call, [{ path: 'id', code: 'another_resource' }]);
}

/**
 * The header of a call that may be sent again.
 *
 * @throws RangeError for a key that the service would refuse (specification: "Limits")
 */
export function idempotencyKey(key: string): { 'idempotency-key': string } {
  if (!/^[!-~]{1,255}$/.test(key)) {
    throw new RangeError('an Idempotency-Key has 1 to 255 visible characters');
  }
  return { 'idempotency-key': key };
}
