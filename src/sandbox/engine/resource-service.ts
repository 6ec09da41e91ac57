/** One call from its arrival to its answer: route, credentials, limits, faults, delivery. */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { drawDuration } from '../chance';
import type { SandboxClock } from '../clock';
import { whenItStrikes, type CallTrouble } from '../faults/fault-plan';
import {
  ResourceFaultPlan,
  type ResourceFaultParts,
  type ResourceTrouble,
} from '../faults/resource-fault-plan';
import { isResourceWireFault, type ResourceFaultKind } from '../faults/resource-fault-words';
import { jsonAnswer, type Answer, type JsonObject, type RawAnswer } from './answer';
import type { Credentials } from './credentials';
import { answerWith, refuse, spurn, type Exchange } from './faulty-answer';
import { Refusal } from './problem';
import { RateLimit } from './rate-limit';
import { readBody } from './request-body';
import { ResourceLog, type ResourceReceived } from './resource-log';
import { Router } from './router';
import { expiredLink, filesPrefix, type SignedLinks } from './signed-links';
import { withExtraFields } from './spoilt-answer';

export interface ResourceRequest {
  path: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  contentType: string;
  /** Empty where the route reads it itself. */
  body: Buffer;
  incoming: IncomingMessage;
  /** Entry of the call, to be completed while it is served. */
  entry: Pick<ResourceReceived, 'key' | 'body'>;
}

/** A call that was understood. */
export interface PreparedResourceCall {
  /** What the scenario names it by. */
  subject: string;
  /** Null while the resource has no id. */
  id: string | null;
  /** Passes before the answer, beside the latency. */
  takesMs?: number;
  /** Does what was asked. Never refuses. */
  act(): Answer;
}

export interface ResourceRoute<Stage extends string> {
  method: string;
  path: string;
  stage: Stage;
  /** Query parameters the route knows; `any` when it looks itself. */
  query: readonly string[] | 'any';
  /** The route reads the body as it arrives. */
  streams?: true;
  /** Changes nothing but keys seen. `aborted`: the client went away. @throws Refusal */
  prepare(
    request: ResourceRequest,
  ): PreparedResourceCall | Promise<PreparedResourceCall | 'aborted'>;
}

export interface ResourceServiceParts<Stage extends string> extends ResourceFaultParts<Stage> {
  clock: SandboxClock;
  latencyMs(): readonly [number, number];
  rateLimitPerSecond(): number | null;
  credentials: Credentials;
  links: SignedLinks;
  routes: readonly ResourceRoute<Stage>[];
  receivedCapacity: number;
  /** Name of the query parameter of a list. Default `cursor`. */
  cursorName?(): string;
  /** A refusal of the service, where it is no problem body. */
  refusal?: (refusal: Refusal) => RawAnswer;
}

export function createResourceService<Stage extends string>(parts: ResourceServiceParts<Stage>) {
  const { clock, credentials, links, name, seed } = parts;
  const faults = new ResourceFaultPlan<Stage>(parts);
  const log = new ResourceLog<Stage>(parts.receivedCapacity);
  const rateLimit = new RateLimit(clock, () => parts.rateLimitPerSecond());
  const router = new Router<ResourceRoute<Stage>>(parts.routes);
  const stages = Object.keys(parts.roles) as Stage[];
  const noCalls = () => Object.fromEntries(stages.map((stage) => [stage, 0]));
  let calls = noCalls() as Record<Stage, number>;

  async function serve(
    incoming: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> {
    const instance = credentials.mask(path);
    const entry = log.open({
      at: clock.isoNow(),
      method: incoming.method ?? '',
      path: instance,
      query: masked(query, credentials),
      hasAuthorization: incoming.headers.authorization !== undefined,
    });
    const exchange: Exchange = {
      request: incoming,
      response,
      clock,
      requestId: `${name}_${seed}_${entry.number}`,
      instance,
      refusal: path.startsWith(filesPrefix) ? storageRefusal : parts.refusal,
      brokenOff: false,
    };
    response.once('close', () => {
      entry.abandoned = !response.writableFinished && !exchange.brokenOff;
    });
    try {
      const call = await understand(incoming, path, query, entry);
      if (call !== 'aborted') entry.status = await answer(call, exchange, entry, query);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      incoming.resume();
      const { status, code, message, retryable, headers } = error;
      entry.status = refuse(
        exchange,
        new Refusal(status, code, credentials.mask(message), { retryable, headers }),
      );
    }
  }

  /** @throws Refusal */
  async function understand(
    incoming: IncomingMessage,
    path: string,
    query: URLSearchParams,
    entry: ResourceReceived<Stage>,
  ): Promise<PreparedResourceCall | 'aborted'> {
    const found = attempt(() => router.find(incoming.method ?? '', path));
    const streams = !(found instanceof Refusal) && found.route.streams === true;
    const body = streams ? Buffer.alloc(0) : await readBody(incoming);
    if (body === 'aborted') return body;
    const { headers } = incoming;
    if (path.startsWith(filesPrefix)) links.check(path, query, headers);
    else credentials.check('bearer', query, headers.authorization);
    if (found instanceof Refusal) throw found;
    if (body === 'too_large') {
      throw new Refusal(413, 'body_too_large', 'The body is larger than 1 MiB.');
    }
    const { route, params } = found;
    entry.stage = route.stage;
    calls[route.stage] += 1;
    refuseUnknown(route.query, query);
    const contentType = headers['content-type'] ?? '';
    const request = { path, params, query, headers, contentType, body, incoming, entry };
    const call = await route.prepare(request);
    if (call === 'aborted') return call;
    Object.assign(entry, { subject: call.subject, id: call.id });
    rateLimit.take();
    return call;
  }

  async function answer(
    call: PreparedResourceCall,
    exchange: Exchange,
    entry: ResourceReceived<Stage>,
    query: URLSearchParams,
  ): Promise<number | null> {
    const trouble = entry.stage && faults.next(entry.stage, call.subject);
    entry.fault = trouble?.kind ?? null;
    const words = [seed, name, 'latency', entry.number];
    const latencyMs = drawDuration(parts.latencyMs(), 'uniform', ...words);
    const refused = refusalOf(trouble);
    const { before, after } = whenItStrikes(onTheWire(trouble));
    if (refused !== null || before !== null) {
      await clock.sleep(latencyMs);
      if (refused !== null) throw refused;
      return before === null ? null : spurn(exchange, before);
    }
    const cursor = query.get(parts.cursorName?.() ?? 'cursor');
    const given = toldAs(call.act(), trouble, cursor);
    entry.accepted = true;
    await clock.sleep(latencyMs + (call.takesMs ?? 0));
    return answerWith(exchange, after, given);
  }

  return {
    serve,
    received: (): ResourceReceived<Stage>[] => log.received(),
    clearReceived: () => log.clear(),
    /** Calls that named a resource and had a token that works; emptying the log keeps them. */
    calls: (): Record<Stage, number> => ({ ...calls }),
    restartFaults: () => faults.restart(),
    reset(): void {
      calls = noCalls() as Record<Stage, number>;
      log.clear();
      faults.restart();
      rateLimit.reset();
    },
  };
}

/** @throws Refusal 400 */
function refuseUnknown(known: readonly string[] | 'any', query: URLSearchParams): void {
  if (known === 'any') return;
  for (const name of query.keys()) {
    if (!known.includes(name)) {
      throw new Refusal(400, 'unknown_parameter', `Unknown query parameter ${name}.`);
    }
  }
}

const refusals: Partial<Record<ResourceFaultKind, () => Refusal>> = {
  '404': () => new Refusal(404, 'not_found', 'There is no such thing.'),
  '405': () => new Refusal(405, 'method_not_allowed', 'This is not allowed here.'),
  '409': () => new Refusal(409, 'conflict', 'The state does not allow it.'),
  '409_retryable': () =>
    new Refusal(409, 'not_yet', 'The state does not allow it yet.', { retryable: true }),
  '403_custom_not_enabled': customNotEnabled,
  expired_link: expiredLink,
};

/** The one refusal that the document shows with its code (section Errors). */
export function customNotEnabled(): Refusal {
  const detail = 'Modular and provided-data dossiers are not enabled for this workspace.';
  return new Refusal(403, 'dossie_custom_not_enabled', detail);
}

function refusalOf(trouble: ResourceTrouble | null): Refusal | null {
  return trouble === null ? null : (refusals[trouble.kind]?.() ?? null);
}

type Spoiling = (json: JsonObject, cursorSent: string | null) => JsonObject;

/** Trouble that stands in the answer itself. */
const spoiling: Partial<Record<ResourceFaultKind, Spoiling>> = {
  extra_fields: (json) => inEach(json, withExtraFields),
  missing_id: withoutId,
  unknown_status: (json) => inEach(json, underReview),
  unknown_status_forever: (json) => inEach(json, underReview),
  bad_item: (json) => ({ ...json, data: [{ id: 7, status: null }, ...itemsOf(json)] }),
  repeated_cursor: (json, cursorSent) => {
    const cursor = cursorSent ?? (json['page'] as JsonObject)['next_cursor'];
    return { ...json, page: { next_cursor: cursor, has_more: cursor !== null } };
  },
};

function withoutId(json: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(json).filter(([name]) => name !== 'id'));
}

const underReview = (json: JsonObject) => ({ ...json, status: 'aguardando_revisao' });

function itemsOf(json: JsonObject): JsonObject[] {
  return Array.isArray(json['data']) ? (json['data'] as JsonObject[]) : [];
}

function inEach(json: JsonObject, spoil: (item: JsonObject) => JsonObject): JsonObject {
  return Array.isArray(json['data']) ? { ...json, data: itemsOf(json).map(spoil) } : spoil(json);
}

function toldAs(
  answer: Answer,
  trouble: ResourceTrouble | null,
  cursorSent: string | null,
): Answer {
  const spoil = trouble === null ? undefined : spoiling[trouble.kind];
  return spoil === undefined || !('json' in answer)
    ? answer
    : { ...answer, json: spoil(answer.json, cursorSent) };
}

/** Trouble that the answer itself holds is none for the wire. */
function onTheWire(trouble: ResourceTrouble | null): CallTrouble | null {
  if (trouble === null || spoiling[trouble.kind] !== undefined) return null;
  return isResourceWireFault(trouble.kind) ? { ...trouble, kind: trouble.kind } : null;
}

/** Storages speak XML. */
export function storageRefusal({ status, code, message, headers }: Refusal): RawAnswer {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>\n`;
  return { status, contentType: 'application/xml', body: Buffer.from(text), headers };
}

/** `{ success, erro }` of the profile (section Errors). */
export function profileRefusal({ status, message, headers }: Refusal): RawAnswer {
  const codigo = profileCodes[status] ?? (status < 500 ? 'VALIDATION_ERROR' : 'INTERNAL_ERROR');
  return jsonAnswer(status, { success: false, erro: { codigo, mensagem: message } }, headers);
}

const profileCodes: Partial<Record<number, string>> = {
  401: 'UNAUTHORIZED',
  403: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  429: 'RATE_LIMITED',
};

function attempt<Result>(work: () => Result): Result | Refusal {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function masked(query: URLSearchParams, credentials: Credentials): Record<string, string> {
  return Object.fromEntries(
    [...query].map(([key, value]) => [credentials.mask(key), credentials.mask(value)]),
  );
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** @throws Refusal 400 */
export function uuidIn(params: Readonly<Record<string, string>>, name: string): string {
  const id = params[name] ?? '';
  if (!uuid.test(id)) throw new Refusal(400, 'invalid_id', `${name} is no UUID.`);
  return id.toLowerCase();
}

/** Of a POST that takes none. @throws Refusal 400 */
export function refuseBody({ body }: ResourceRequest): void {
  if (body.length > 0) {
    throw new Refusal(400, 'unexpected_body', 'This call takes no body.');
  }
}
