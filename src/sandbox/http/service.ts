/** One call from its arrival to its answer: route, token, limits, faults, delivery. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { drawDuration } from '../core/chance';
import type { SandboxClock } from '../core/clock';
import { FaultPlan, type InjectedFault, type Subject } from '../faults/fault-plan';
import { firstSteps, type Background, type CallSteps } from '../faults/fault-scenario';
import { faults, type CallRole, type Fault, type FaultKind } from '../faults/faults';
import type { Scenario } from '../scenario';
import { problem, rawAnswer, Refusal, storageError } from './answer';
import type { Answer, JsonObject, RefusalBody } from './answer';
import { filesPrefix, type AuthScheme, type Credentials, type signedLinks } from './credentials';
import { refuse, send, type Exchange } from './delivery';
import { createRateLimit } from './rate-limit';
import { readBody, refuseParameters, type Request } from './request';
import { RequestLog, type Received } from './request-log';
import { createRouter } from './router';
import { corruptEach, type Corruption } from './corruptions';

/** A call that was understood. */
export interface PreparedCall extends Subject {
  /** Null while the resource has no id. */
  id: string | null;
  /** Passes before the answer, beside the latency. */
  takesMs?: number;
  /** Does what was asked; a fault may corrupt what is answered. Never refuses. */
  act(fault: InjectedFault | null): Answer | Refusal;
  /** The answer while what is asked for is not ready; only where that can be. */
  notReady?(): Answer | Refusal;
}

interface RouteTerms {
  /** Default `bearer`; ignored on the origin of files. */
  auth?: AuthScheme;
  /** Query parameters the route knows; `any` when it looks itself. Default none. */
  query?: readonly string[] | 'any';
  /** The body is or holds a file, which may be so large, and is not for the log. */
  fileLimitBytes?: number;
}
/** Understands a request; changes nothing but counts and keys seen. @throws Refusal */
type Prepare = (request: Request) => PreparedCall | Promise<PreparedCall>;
/** A segment `:name` of the path matches anything and lands in `params`. */
export type Route<Stage extends string> = readonly [
  method: string,
  path: string,
  stage: Stage,
  prepare: Prepare,
  terms?: RouteTerms,
];

/** What every resource is built from. */
export interface ResourceParts {
  seed: number;
  clock: SandboxClock;
  scenario: () => Scenario;
  credentials: Credentials;
  links: ReturnType<typeof signedLinks>;
  /** Requests in the log; the oldest go first. */
  receivedCapacity: number;
  /** Of each kind that is made by requests; beyond it they are refused. */
  capacity: number;
}

/** By stage. */
type Steps = { readonly [stage: string]: unknown };

interface ServiceParts<Stage extends string> extends ResourceParts {
  /** Keeps what is drawn for one resource apart from the others. */
  name: string;
  /** What its paths begin with. */
  paths: readonly string[];
  roles: Readonly<Record<Stage, CallRole>>;
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
  corruptions?: Partial<Record<FaultKind, Corruption>>;
}

/** What a patch of a section names. */
export interface SectionPatch {
  documents?: object | undefined;
  held?: object | undefined;
  pattern?: unknown;
  seeded?: unknown;
}

const defaultDelayMs = 5000;

/** So much of a body that is not JSON is in the log. */
const storedTextLength = 2000;

export function createService<Stage extends string>(parts: ServiceParts<Stage>) {
  const { clock, credentials, name, paths, roles, section, seed } = parts;
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
  const takePermit = createRateLimit(clock);
  const findRoute = createRouter(parts.routes(plan));
  const isOfFiles = (path: string) =>
    path.startsWith(filesPrefix) && paths.some((one) => one.startsWith(filesPrefix));
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
      error.message = credentials.mask(error.message);
      entry.status = refuse(exchange, error);
    }
  }

  /** @throws Refusal */
  async function understand(
    incoming: IncomingMessage,
    path: string,
    query: URLSearchParams,
    entry: Received<Stage>,
  ): Promise<PreparedCall | 'aborted'> {
    const { headers, method = '' } = incoming;
    // What has no route is refused when its body has been read: the client would not live to read why.
    const found = attempt(() => findRoute(method, path));
    const fileLimitBytes = found instanceof Refusal ? undefined : found.route[4]?.fileLimitBytes;
    const body = await readBody(incoming, fileLimitBytes);
    if (body === 'aborted') return body;
    if (fileLimitBytes === undefined) entry.body = readable(body, credentials);
    if (found instanceof Refusal) throw found;
    const { route, params } = found;
    const [, , stage, prepare, { auth = 'bearer', query: known = [] } = {}] = route;
    if (isOfFiles(path)) parts.links.check(path, query, headers);
    else credentials.check(auth, query, headers.authorization);
    entry.stage = stage;
    calls[stage] += 1;
    if (known !== 'any') {
      refuseParameters(query, auth === 'query_token' ? [...known, 'token'] : known);
    }
    const contentType = headers['content-type'] ?? '';
    const call = await prepare({ path, params, query, headers, contentType, body, entry });
    entry.subject = call.subject;
    entry.variant = call.variant ?? null;
    entry.id = call.id;
    takePermit(section().rateLimitPerSecond);
    return call;
  }

  async function answer(
    call: PreparedCall,
    exchange: Exchange,
    entry: Received<Stage>,
    query: URLSearchParams,
  ): Promise<number | null> {
    const injected = entry.stage && plan.next(entry.stage, call);
    entry.fault = injected?.kind ?? null;
    const words = [seed, name, 'latency', entry.number];
    const latencyMs = drawDuration(parts.scenario().latencyMs, 'uniform', ...words);
    const onWire = (given: Answer | Refusal) =>
      given instanceof Refusal ? exchange.refusal(given, exchange) : rawAnswer(given);
    const fault: Partial<Fault> = injected === null ? {} : faults[injected.kind];
    if (injected !== null && fault.instead !== undefined) {
      await clock.sleep(latencyMs);
      const notReady = injected.kind === 'not_ready' ? call.notReady?.() : undefined;
      if (notReady !== undefined) return send(exchange, onWire(notReady));
      return fault.instead(exchange, injected.retryAfterSeconds ?? 1, 0);
    }
    const given = call.act(injected);
    entry.accepted = true;
    await clock.sleep(latencyMs + (call.takesMs ?? 0));
    if (injected === null) return send(exchange, onWire(given));
    const cursor = query.get(section().cursorName ?? 'cursor');
    const { deliver = send } = fault;
    const answered = onWire(corrupted(given, injected.kind, cursor));
    return deliver(exchange, answered, injected.delayMs ?? defaultDelayMs);
  }

  function corrupted(given: Answer | Refusal, kind: FaultKind, cursor: string | null) {
    const { corrupt, corruptList }: Fault = faults[kind];
    const corruptOne = parts.corruptions?.[kind] ?? corrupt;
    if (!('json' in given)) return given;
    if (corruptList) return { ...given, json: corruptList(given.json as JsonObject, cursor) };
    if (corruptOne === undefined) return given;
    return { ...given, json: corruptEach(given.json, (one) => corruptOne(one, cursor)) };
  }

  return {
    paths,
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
    return text.slice(0, storedTextLength);
  }
}
