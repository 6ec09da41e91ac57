/** Calls about operations, and the operations that the service holds. */

import type { SandboxClock } from '../clock';
import type { JsonObject } from '../engine/answer';
import { Refusal } from '../engine/problem';
import { judge } from './analysis';
import type { CreditAnswer } from './credit-answer';
import { answerOf, readId, without } from './credit-call';
import type { CreditFaultPlan, CreditTrouble } from './credit-fault-plan';
import type { CreditEndingKind } from './credit-fault-words';
import { OperationTally, type OperationCounts } from './credit-log';
import type { CreditNames } from './credit-names';
import type { CreditScenario } from './credit-scenario';
import type { CreditRequest, CreditRoute, PreparedCreditCall } from './credit-service';
import type { Engine, EngineShelf } from './engines';
import { hasResult, operationOnWire, startOperation, type Operation } from './operations';
import { resultPieces, type ResultFilter, type ResultTwist } from './result-json';
import { readUpload, type Upload } from './upload';

export interface OperationParts {
  /** Path below which the routes stand. */
  prefix: string;
  seed: number;
  clock: SandboxClock;
  scenario: () => CreditScenario;
  names: CreditNames;
  faults: CreditFaultPlan;
  engines: EngineShelf;
  /** Operations, and titulos over all of them, held at most; beyond it uploads are refused. */
  operationCapacity: number;
  tituloCapacity: number;
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

export function createOperations(parts: OperationParts) {
  const { clock, engines, faults, names, prefix, scenario, seed } = parts;
  const tally = new OperationTally();
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

  const routes: CreditRoute[] = [
    { method: 'POST', path: `${prefix}/operations`, query: [], prepare: prepareUpload },
    { method: 'GET', path: `${prefix}/operations/:id`, query: [], prepare: prepareStatus },
    {
      method: 'GET',
      path: `${prefix}/operations/:id/result`,
      query: ['filter', 'include'],
      prepare: prepareResult,
    },
  ];

  return {
    routes,
    counts: (): OperationCounts[] => tally.all(),
    held: (): OperationHeld[] => [...operations.values()].map(held),
    reset(): void {
      operations.clear();
      titulosHeld = 0;
      tally.clear();
    },
  };
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
  'bare_issues',
] satisfies ResultTwist[];

function twistOf(trouble: CreditTrouble | null): ResultTwist | null {
  return trouble !== null && twists.includes(trouble.kind) ? (trouble.kind as ResultTwist) : null;
}
