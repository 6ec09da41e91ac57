/** One call from its arrival to its answer: route, token, limits, faults, delivery. */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { drawDuration } from '../core/chance';
import type { SandboxClock } from '../core/clock';
import { FaultPlan, type FaultPlanParts, type Subject, type Trouble } from '../faults/fault-plan';
import { firstSteps, type Background, type CallSteps } from '../faults/fault-scenario';
import { faults, type Fault, type FaultKind } from '../faults/faults';
import type { Scenario } from '../scenario';
import { rawAnswer, type Answer, type JsonObject } from './answer';
import type { AuthScheme, Credentials } from './credentials';
import { refuse, send, type Exchange } from './delivery';
import { problem, Refusal, storageError, type RefusalBody } from './refusal';
import { RateLimit } from './rate-limit';
import { readBody } from './request-body';
import { RequestLog, type Received } from './request-log';
import { Router } from './router';
import { filesPrefix, type SignedLinks } from './signed-links';
import { spoilEach, type Spoiling } from './spoilings';

export interface Request {
  path: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  contentType: string;
  body: Buffer;
  /** Entry of the call, to be completed while it is served. */
  entry: Pick<Received, 'key' | 'parts' | 'id'>;
}

/** A call that was understood. */
export interface PreparedCall extends Subject {
  /** Null while the resource has no id. */
  id: string | null;
  /** Passes before the answer, beside the latency. */
  takesMs?: number;
  /** Does what was asked; a trouble may spoil what is told of it. Never refuses. */
  act(trouble: Trouble | null): Answer | Refusal;
  /** What the call is told while its matter is not ready; only where that can be. */
  notReady?(): Answer | Refusal;
}

export interface Route<Stage extends string> {
  method: string;
  path: string;
  stage: Stage;
  /** Default `bearer`; ignored on the origin of files. */
  auth?: AuthScheme;
  /** Query parameters the route knows; `any` when it looks itself. Default none. */
  query?: readonly string[] | 'any';
  /** The body is or holds a file, which may be so large, and is not for the log. */
  fileLimitBytes?: number;
  /** Changes nothing but counts and keys seen. @throws Refusal */
  prepare(request: Request): PreparedCall | Promise<PreparedCall>;
}

/** What every resource is built from. */
export interface ResourceParts {
  seed: number;
  clock: SandboxClock;
  scenario: () => Scenario;
  credentials: Credentials;
  links: SignedLinks;
  /** Requests kept in the log; the oldest go first. */
  receivedCapacity: number;
}

/** By stage. */
type Steps = { readonly [stage: string]: unknown };

interface ServiceParts<Stage extends string>
  extends ResourceParts, Pick<FaultPlanParts<Stage>, 'name' | 'roles'> {
  /** The section of the scenario that the resource follows. */
  section: () => {
    rateLimitPerSecond: number | null;
    background: Background;
    cursorName?: string;
    calls?: Steps;
  };
  /** What the section says of what a call is about. */
  scriptOf: (about: Subject) => Steps | undefined;
  /** What it holds from the start. */
  shelf?: { patched(patch: SectionPatch): void };
  /** Whether that stands there by name: then nothing but its own steps strikes it. */
  isNamed?: (about: Subject) => boolean;
  routes(plan: FaultPlan<Stage>): readonly Route<Stage>[];
  /** How refusals are worded; the problem of the investigation service when left out. */
  refusal?: RefusalBody;
  /** What faults do to its answers, where that is not the usual. */
  spoilings?: Partial<Record<FaultKind, Spoiling>>;
}

/** What a patch of a section names. */
export interface SectionPatch {
  documents?: object | undefined;
  held?: object | undefined;
  pattern?: unknown;
  seeded?: unknown;
}

const defaultDelayMs = 5000;

/** So much of a body that is not JSON is kept in the log. */
const keptTextLength = 2000;

export function createService<Stage extends string>(parts: ServiceParts<Stage>) {
  const { clock, credentials, links, name, roles, section, seed } = parts;
  const plan = new FaultPlan<Stage>({
    ...parts,
    background: () => section().background,
    stepsOf(stage, about) {
      const own = parts.scriptOf(about)?.[stage] as CallSteps | undefined;
      if (parts.isNamed?.(about) === true) return own;
      return firstSteps(own, section().calls?.[stage] as CallSteps | undefined);
    },
  });
  const log = new RequestLog<Stage>(parts.receivedCapacity);
  const rateLimit = new RateLimit(clock, () => section().rateLimitPerSecond);
  const routes = parts.routes(plan);
  const router = new Router<Route<Stage>>(routes);
  const servesFiles = routes.some(({ path }) => path.startsWith(filesPrefix));
  const isOfFiles = (path: string) => servesFiles && path.startsWith(filesPrefix);
  const none = Object.keys(roles).map((stage) => [stage, 0]);
  const calls = Object.fromEntries(none) as Record<Stage, number>;

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
      refusal: isOfFiles(path) ? storageError : (parts.refusal ?? problem),
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
      const told = new Refusal(status, code, credentials.mask(message), { retryable, headers });
      entry.status = refuse(exchange, told);
    }
  }

  /** @throws Refusal */
  async function understand(
    incoming: IncomingMessage,
    path: string,
    query: URLSearchParams,
    entry: Received<Stage>,
  ): Promise<PreparedCall | 'aborted'> {
    const found = attempt(() => router.find(incoming.method ?? '', path));
    const fileLimitBytes = found instanceof Refusal ? undefined : found.route.fileLimitBytes;
    const body = await readBody(incoming, fileLimitBytes);
    if (body === 'aborted') return body;
    if (fileLimitBytes === undefined) entry.body = readable(body, credentials);
    if (found instanceof Refusal) throw found;
    const { route, params } = found;
    const { headers } = incoming;
    if (isOfFiles(path)) links.check(path, query, headers);
    else credentials.check(route.auth ?? 'bearer', query, headers.authorization);
    entry.stage = route.stage;
    calls[route.stage] += 1;
    refuseUnknown(route, query);
    const contentType = headers['content-type'] ?? '';
    const request = { path, params, query, headers, contentType, body, entry };
    const call = await route.prepare(request);
    entry.subject = call.subject;
    entry.variant = call.variant ?? null;
    entry.id = call.id;
    rateLimit.take();
    return call;
  }

  async function answer(
    call: PreparedCall,
    exchange: Exchange,
    entry: Received<Stage>,
    query: URLSearchParams,
  ): Promise<number | null> {
    const trouble = entry.stage && plan.next(entry.stage, call);
    entry.fault = trouble?.kind ?? null;
    const words = [seed, name, 'latency', entry.number];
    const latencyMs = drawDuration(parts.scenario().latencyMs, 'uniform', ...words);
    const onWire = (given: Answer | Refusal) =>
      given instanceof Refusal ? exchange.refusal(given, exchange) : rawAnswer(given);
    const fault: Partial<Fault> = trouble === null ? {} : faults[trouble.kind];
    if (trouble !== null && fault.instead !== undefined) {
      await clock.sleep(latencyMs);
      const notReady = trouble.kind === 'not_ready' ? call.notReady?.() : undefined;
      if (notReady !== undefined) return send(exchange, onWire(notReady));
      return fault.instead(exchange, trouble.retryAfterSeconds ?? 1, 0);
    }
    const given = call.act(trouble);
    entry.accepted = true;
    await clock.sleep(latencyMs + (call.takesMs ?? 0));
    if (trouble === null) return send(exchange, onWire(given));
    const cursor = query.get(section().cursorName ?? 'cursor');
    const { deliver = send } = fault;
    const answered = onWire(spoilt(given, trouble.kind, cursor));
    return deliver(exchange, answered, trouble.delayMs ?? defaultDelayMs);
  }

  function spoilt(given: Answer | Refusal, kind: FaultKind, cursor: string | null) {
    const { spoil, spoilList }: Fault = faults[kind];
    const spoilOne = parts.spoilings?.[kind] ?? spoil;
    if (!('json' in given)) return given;
    if (spoilList) return { ...given, json: spoilList(given.json as JsonObject, cursor) };
    if (spoilOne === undefined) return given;
    return { ...given, json: spoilEach(given.json, (one) => spoilOne(one, cursor)) };
  }

  return {
    serve,
    received: (): Received<Stage>[] => log.received(),
    clearReceived: () => log.clear(),
    /** Calls that named a resource and had a token that works; emptying the log keeps them. */
    calls: (): Record<Stage, number> => ({ ...calls }),
    /** Steps begin again; of the documents alone that the patch names. */
    patched: (patch: SectionPatch): void => {
      plan.restart(patch.documents && Object.keys(patch.documents));
      parts.shelf?.patched(patch);
    },
  };
}

/** @throws Refusal 400 */
function refuseUnknown<Stage extends string>(route: Route<Stage>, query: URLSearchParams): void {
  const known = route.query ?? [];
  if (known === 'any') return;
  for (const name of query.keys()) {
    const isToken = route.auth === 'query_token' && name === 'token';
    if (!isToken && !known.includes(name)) {
      throw new Refusal(400, 'unknown_parameter', `Unknown query parameter ${name}.`);
    }
    if (query.getAll(name).length > 1) {
      throw new Refusal(400, 'repeated_parameter', `${name} came twice.`);
    }
  }
}

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
    [...query].map(([name, value]) => [
      credentials.mask(name),
      name === 'token' ? '***' : credentials.mask(value),
    ]),
  );
}

function readable(body: Buffer, credentials: Credentials): unknown {
  if (body.length === 0) return null;
  const text = credentials.mask(body.toString('utf8'));
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(0, keptTextLength);
  }
}

/** Of a POST that takes none. @throws Refusal 400 */
export function refuseBody({ body }: Request): void {
  if (body.length > 0) {
    throw new Refusal(400, 'unexpected_body', 'This call takes no body.');
  }
}
