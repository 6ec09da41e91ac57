/** The credit-analysis service: its routes, and the operations and engines that it holds. */

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { SandboxClock } from '../clock';
import { Credentials } from '../engine/credentials';
import type { JsonObject } from '../engine/answer';
import { Refusal } from '../engine/problem';
import { RateLimit } from '../engine/rate-limit';
import { readBody, readBodyAs } from '../engine/request-body';
import { Router } from '../engine/router';
import { withExtraFields } from '../engine/spoilt-answer';
import type { Scenario } from '../scenario';
import { judge } from './analysis';
import type { CreditAnswer } from './credit-answer';
import { CreditFaultPlan, type CreditTrouble } from './credit-fault-plan';
import type { CreditEndingKind, OtherStage } from './credit-fault-words';
import { CreditLog, OperationTally, type CreditReceived, type OperationCounts } from './credit-log';
import type { CreditNames } from './credit-names';
import {
  createCreditService,
  type CreditRequest,
  type CreditRoute,
  type PreparedCreditCall,
} from './credit-service';
import { engineChange, engineCreation, engineOnWire, EngineShelf, type Engine } from './engines';
import { openApiDocument } from './openapi-document';
import { hasResult, operationOnWire, startOperation, type Operation } from './operations';
import { resultPieces, type ResultFilter, type ResultTwist } from './result-json';
import { readUpload, type Upload } from './upload';

/** The base address ends in the version, and the paths begin with it again, as documented. */
export const creditBasePath = '/credit/api/v1';
const prefix = `${creditBasePath}/v1`;

export interface CreditParts {
  seed: number;
  clock: SandboxClock;
  scenario(): Scenario;
  names: CreditNames;
  token: string;
  /** Operations, and titulos over all of them, held at most; beyond it uploads are refused. */
  operationCapacity: number;
  tituloCapacity: number;
  receivedCapacity: number;
}

/** An operation as the sandbox holds it: what a poll would show now, and what no poll shows. */
export interface OperationHeld {
  fileSha256: string;
  xmlsSha256: string | null;
  engineId: string;
  ordinal: number;
  titulos: number;
  /** How it ends, or has ended. */
  ending: CreditEndingKind;
  /** Instant of the result, null when there will be none. */
  resultAt: string | null;
  operation: JsonObject;
}

export interface CreditState {
  operations: OperationHeld[];
  engines: JsonObject[];
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const engineCapacity = 10_000;

export function createCredit(parts: CreditParts) {
  const { clock, names, seed } = parts;
  const scenario = () => parts.scenario().credit;
  const credentials = new Credentials(parts.token);
  const faults = new CreditFaultPlan(seed, scenario);
  const log = new CreditLog(parts.receivedCapacity);
  const tally = new OperationTally();
  const rateLimit = new RateLimit(clock, () => scenario().rateLimitPerSecond);
  const engines = new EngineShelf(seed, engineCapacity);
  const operations = new Map<string, Operation>();
  let titulosHeld = 0;

  const countsOf = (upload: Upload, engine: Engine): OperationCounts =>
    tally.of({
      fileSha256: upload.file.sha256,
      fileName: upload.file.name,
      xmlsSha256: upload.xmls?.sha256 ?? null,
      engineId: engine.id,
    });

  async function prepareUpload({
    incoming,
    entry,
  }: CreditRequest): Promise<PreparedCreditCall | 'aborted'> {
    const { maxFileBytes } = scenario();
    const upload = await readUpload(incoming, { names, maxFileBytes, parts: entry.parts });
    if (upload === 'aborted') return upload;
    const engine = chosenEngine(upload.engineId);
    refuseWhenFull(upload);
    const counts = countsOf(upload, engine);
    counts.requested += 1;
    return {
      trouble: () => faults.nextOfFile('upload', upload.file),
      act: (trouble) => {
        counts.started += 1;
        const operation = begin(upload, engine, counts.started);
        entry.operationId = operation.id;
        // As it stands at birth, even where the scenario lets it end at once.
        const json = operationOnWire(operation, Number.NEGATIVE_INFINITY, names);
        const idField = trouble?.kind === 'missing_id' ? names.idField : null;
        return answerOf(scenario().successStatus, without(json, idField), trouble);
      },
    };
  }

  function begin(upload: Upload, engine: Engine, ordinal: number): Operation {
    const operation = startOperation({
      seed,
      upload,
      engine,
      ordinal,
      at: clock.now(),
      ending: faults.nextEnding(upload.file),
      scenario: scenario(),
      failure: faults.scriptOf(upload.file)?.failure,
    });
    operations.set(operation.id, operation);
    titulosHeld += upload.file.remittance.titulos.length;
    return operation;
  }

  /** @throws Refusal 422 */
  function chosenEngine(id: string | null): Engine {
    const engine = id === null ? engines.all()[0] : engines.find(id);
    if (engine === undefined) {
      throw new Refusal(422, 'unknown_engine', `${names.enginePart}: there is no such engine.`);
    }
    return engine;
  }

  /** @throws Refusal 507 */
  function refuseWhenFull(upload: Upload): void {
    const titulos = titulosHeld + upload.file.remittance.titulos.length;
    if (operations.size >= parts.operationCapacity || titulos > parts.tituloCapacity) {
      throw new Refusal(507, 'sandbox_full', 'The sandbox holds no more operations.');
    }
  }

  /** @throws Refusal 400, 404 */
  function findOperation({ params, entry }: CreditRequest): Operation {
    const operation = operations.get(readId(params));
    if (operation === undefined) {
      throw new Refusal(404, 'operation_not_found', 'No such operation.');
    }
    entry.operationId = operation.id;
    return operation;
  }

  async function prepareStatus(request: CreditRequest): Promise<PreparedCreditCall> {
    const operation = findOperation(request);
    countsOf(operation.upload, operation.engine).polls += 1;
    return {
      trouble: () => faults.nextOfFile('status', operation.file),
      act: (trouble) => {
        const json = operationOnWire(operation, clock.now(), names);
        const isUnknown = trouble?.kind.startsWith('unknown_status') ?? false;
        const shown = isUnknown ? { ...json, [names.statusField]: 'aguardando_revisao' } : json;
        return answerOf(200, shown, trouble);
      },
    };
  }

  async function prepareResult(request: CreditRequest): Promise<PreparedCreditCall> {
    const operation = findOperation(request);
    const filter = filterOf(request.query);
    const notReady = () => notReadyAnswer(operation);
    countsOf(operation.upload, operation.engine).results += 1;
    return {
      trouble: () => faults.nextOfFile('result', operation.file),
      notReady,
      act: (trouble) =>
        hasResult(operation, clock.now()) ? resultOf(operation, filter, trouble) : notReady(),
    };
  }

  function resultOf(
    operation: Operation,
    filter: ResultFilter,
    trouble: CreditTrouble | null,
  ): CreditAnswer {
    const { engine, upload } = operation;
    const timestamp = new Date(operation.endsAt).toISOString();
    const judgement = judge({
      remittance: upload.file.remittance,
      invoices: upload.xmls?.invoices ?? null,
      rules: engine.rules,
      today: timestamp.slice(0, 10),
    });
    const head = {
      operationId: operation.id,
      engineId: engine.id,
      engineName: engine.name,
      timestamp,
    };
    const pieces = resultPieces(head, judgement, filter, twistOf(trouble));
    return { status: 200, body: { pieces } };
  }

  function notReadyAnswer(operation: Operation): CreditAnswer {
    const status = scenario().notReadyStatus;
    if (status === 204) return { status, body: null };
    if (status === 202) return answerOf(status, operationOnWire(operation, clock.now(), names));
    const refusal = new Refusal(status, 'result_not_ready', 'The operation has no result yet.');
    return { status, body: { refusal } };
  }

  function engineCall(stage: OtherStage, act: PreparedCreditCall['act']): PreparedCreditCall {
    return { trouble: () => faults.nextOf(stage), act };
  }

  async function prepareEngineList(): Promise<PreparedCreditCall> {
    return engineCall('engine_list', (trouble) => {
      const list = engines.all().map((engine) => without(engineOnWire(engine), 'rules'));
      const told = trouble?.kind === 'extra_fields' ? list.map(withExtraFields) : list;
      const json = names.engineList === 'bare' ? told : { [names.engineList]: told };
      return { status: 200, body: { json } };
    });
  }

  async function prepareEngineCreation(request: CreditRequest) {
    const wish = await jsonBody(request, engineCreation);
    if (wish === 'aborted') return wish;
    const draft = engines.draft(wish);
    return engineCall('engine_create', (trouble) => {
      const json = engineOnWire(engines.add(draft));
      return answerOf(201, without(json, trouble?.kind === 'missing_id' ? 'id' : null), trouble);
    });
  }

  async function prepareEngineRead({ params }: CreditRequest): Promise<PreparedCreditCall> {
    const engine = engines.get(readId(params));
    return engineCall('engine_read', (trouble) => answerOf(200, engineOnWire(engine), trouble));
  }

  async function prepareEngineChange(request: CreditRequest) {
    const id = readId(request.params);
    const change = await jsonBody(request, engineChange);
    if (change === 'aborted') return change;
    const changed = engines.changed(id, change);
    return engineCall('engine_update', (trouble) => {
      engines.put(changed);
      return answerOf(200, engineOnWire(changed), trouble);
    });
  }

  async function prepareEngineRemoval({ params }: CreditRequest): Promise<PreparedCreditCall> {
    const { id } = engines.own(readId(params));
    return engineCall('engine_delete', () => {
      engines.remove(id);
      return { status: 204, body: null };
    });
  }

  async function prepareSpecification({ incoming }: CreditRequest): Promise<PreparedCreditCall> {
    if (names.document === 'none') {
      throw new Refusal(404, 'not_found', 'There is no specification.');
    }
    const json = openApiDocument(names, creditBasePath);
    const etag = `"${createHash('sha256').update(JSON.stringify(json)).digest('hex').slice(0, 32)}"`;
    return engineCall('specification', (trouble) => {
      const headers = { etag, 'cache-control': 'no-cache' };
      if (incoming.headers['if-none-match'] === etag) return { status: 304, headers, body: null };
      const told = trouble?.kind === 'extra_fields' ? { ...json, 'x-campo-novo': true } : json;
      return { status: 200, headers, body: { json: told } };
    });
  }

  const routes: CreditRoute[] = [
    { method: 'POST', path: `${prefix}/operations`, query: [], prepare: prepareUpload },
    { method: 'GET', path: `${prefix}/operations/:id`, query: [], prepare: prepareStatus },
    {
      method: 'GET',
      path: `${prefix}/operations/:id/result`,
      query: ['filter', 'include'],
      prepare: prepareResult,
    },
    { method: 'GET', path: `${prefix}/engines`, query: [], prepare: prepareEngineList },
    { method: 'POST', path: `${prefix}/engines`, query: [], prepare: prepareEngineCreation },
    { method: 'GET', path: `${prefix}/engines/:id`, query: [], prepare: prepareEngineRead },
    { method: 'PUT', path: `${prefix}/engines/:id`, query: [], prepare: prepareEngineChange },
    { method: 'DELETE', path: `${prefix}/engines/:id`, query: [], prepare: prepareEngineRemoval },
    {
      method: 'GET',
      path: `${prefix}/openapi.json`,
      isOpen: true,
      query: [],
      prepare: prepareSpecification,
    },
  ];
  const service = createCreditService({
    seed,
    clock,
    latencyMs: () => parts.scenario().latencyMs,
    router: new Router(routes),
    credentials,
    rateLimit,
    log,
  });

  const held = (operation: Operation): OperationHeld => ({
    fileSha256: operation.file.sha256,
    xmlsSha256: operation.upload.xmls?.sha256 ?? null,
    engineId: operation.engine.id,
    ordinal: operation.ordinal,
    titulos: operation.upload.file.remittance.titulos.length,
    ending: operation.ending.kind,
    resultAt:
      operation.ending.kind === 'completed' ? new Date(operation.resultAt).toISOString() : null,
    operation: operationOnWire(operation, clock.now(), names),
  });

  return {
    serve: (
      incoming: IncomingMessage,
      response: ServerResponse,
      path: string,
      query: URLSearchParams,
    ) => service.serve(incoming, response, path, query),
    received: (): CreditReceived[] => log.received(),
    clearReceived: () => log.clear(),
    counts: (): OperationCounts[] => tally.all(),
    state: (): CreditState => ({
      operations: [...operations.values()].map(held),
      engines: engines.all().map(engineOnWire),
    }),
    setToken: (token: string, valid: boolean) => credentials.setValid(token, valid),
    restartFaults: () => faults.restart(),
    reset(): void {
      operations.clear();
      titulosHeld = 0;
      engines.reset();
      tally.clear();
      log.clear();
      faults.restart();
      credentials.reset();
      rateLimit.reset();
    },
  };
}

export type Credit = ReturnType<typeof createCredit>;

/** @throws Refusal 400, 413, 415 */
async function jsonBody<Shape extends z.ZodType>(
  { incoming, entry }: CreditRequest,
  schema: Shape,
): Promise<z.output<Shape> | 'aborted'> {
  const body = await readBody(incoming);
  if (body === 'aborted') return body;
  if (body === 'too_large') {
    throw new Refusal(413, 'body_too_large', 'The body is larger than 1 MiB.');
  }
  const contentType = incoming.headers['content-type'] ?? '';
  const read = readBodyAs(schema, { contentType, body });
  entry.body = read;
  return read;
}

/** @throws Refusal 400 */
function readId(params: Readonly<Record<string, string>>): string {
  const id = params['id'] ?? '';
  if (!uuid.test(id)) throw new Refusal(400, 'invalid_id', 'The id is no UUID.');
  return id.toLowerCase();
}

/** @throws Refusal 400 */
function filterOf(query: URLSearchParams): ResultFilter {
  const filter = query.get('filter') ?? 'issues';
  if (filter !== 'issues' && filter !== 'all') {
    throw new Refusal(400, 'invalid_filter', 'filter: expected issues or all.');
  }
  const include = query.get('include');
  if (include !== null && include !== 'evidence') {
    throw new Refusal(400, 'invalid_include', 'include: expected evidence.');
  }
  return filter;
}

const twists: readonly string[] = [
  'wrong_summary',
  'stray_titulo',
  'unknown_entity_status',
  'extra_fields',
] satisfies ResultTwist[];

function twistOf(trouble: CreditTrouble | null): ResultTwist | null {
  return trouble !== null && twists.includes(trouble.kind) ? (trouble.kind as ResultTwist) : null;
}

function answerOf(
  status: number,
  json: JsonObject,
  trouble: CreditTrouble | null = null,
): CreditAnswer {
  return {
    status,
    body: { json: trouble?.kind === 'extra_fields' ? withExtraFields(json) : json },
  };
}

function without(json: JsonObject, key: string | null): JsonObject {
  return Object.fromEntries(Object.entries(json).filter(([name]) => name !== key));
}
