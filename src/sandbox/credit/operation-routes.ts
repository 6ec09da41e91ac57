/** Calls about operations, and the operations that the service holds. */

import { drawDuration, seededUuid } from '../core/chance';
import type { SandboxClock } from '../core/clock';
import { Tally } from '../core/tally';
import { beginWork } from '../core/work';
import type { FaultPlan, Trouble } from '../faults/fault-plan';
import { iso, type Answer, type JsonObject } from '../http/answer';
import { Refusal } from '../http/refusal';
import { uuidIn } from '../http/router';
import type { PreparedCall, Request, Route } from '../http/service';
import { judge } from './analysis';
import type { CreditNames } from './credit-names';
import {
  creditEndings,
  type CreditEnding,
  type CreditScenario,
  type CreditStage,
} from './credit-scenario';
import type { Engine, EngineShelf } from './engines';
import { hasResult, operationOnWire, type Operation } from './operations';
import { resultPieces, type ResultFilter } from './result-json';
import { readUpload, type Upload } from './upload';

export interface OperationParts {
  /** Path below which the routes stand. */
  prefix: string;
  seed: number;
  clock: SandboxClock;
  scenario: () => CreditScenario;
  names: CreditNames;
  engines: EngineShelf;
  /** Operations held at most, and no more than ten thousand; beyond it uploads are refused. */
  capacity: number;
}

/** How often one file, with one ZIP, was sent to one engine. */
export interface OperationCounts {
  fileSha256: string;
  fileName: string;
  xmlsSha256: string | null;
  engineId: string;
  /** Uploads that arrived whole and could be analysed. */
  requested: number;
  /** Operations that the service really began: more than one is an analysis bought twice. */
  started: number;
  /** Reads of the status, and of the result. */
  polls: number;
  results: number;
}

/** An operation as the sandbox holds it: what a poll would show now, and what no poll shows. */
export interface OperationHeld {
  fileSha256: string;
  xmlsSha256: string | null;
  engineId: string;
  ordinal: number;
  titulos: number;
  /** How it ends, or has ended. */
  ending: CreditEnding;
  /** Instant of the result, null when there will be none. */
  resultAt: string | null;
  operation: JsonObject;
}

const operationLimit = 10_000;
/** Over all operations. */
const tituloLimit = 2_000_000;

type FileNames = Pick<Upload['file'], 'sha256' | 'name'>;

export function createOperations(parts: OperationParts) {
  const { clock, engines, names, prefix, scenario, seed } = parts;
  const noCalls = { requested: 0, started: 0, polls: 0, results: 0 };
  const tally = new Tally<OperationCounts>(() => ({
    ...noCalls,
    fileSha256: '',
    fileName: '',
    xmlsSha256: null,
    engineId: '',
  }));
  const operations = new Map<string, Operation>();
  let titulosHeld = 0;

  function countsOf({ file, xmls }: Upload, { id: engineId }: Engine): OperationCounts {
    const xmlsSha256 = xmls?.sha256 ?? null;
    const { name: fileName, sha256: fileSha256 } = file;
    const key = [fileSha256, xmlsSha256, engineId].join('|');
    return tally.of(key, { fileSha256, fileName, xmlsSha256, engineId });
  }

  /** Each pair of bytes and file name goes through its own copy of the steps. */
  const subjectOf = ({ file }: Upload) => ({ subject: file.sha256, variant: file.name });
  const about = ({ id, upload }: Operation) => ({ ...subjectOf(upload), id });

  async function prepareUpload(
    plan: FaultPlan<CreditStage>,
    { incoming, entry }: Request,
  ): Promise<PreparedCall | 'aborted'> {
    const { maxFileBytes } = scenario();
    const upload = await readUpload(incoming, { names, maxFileBytes, parts: entry.parts });
    if (upload === 'aborted') return upload;
    const engine = chosenEngine(upload.engineId);
    refuseWhenFull(upload);
    const counts = countsOf(upload, engine);
    counts.requested += 1;
    return {
      ...subjectOf(upload),
      id: null,
      act: () => {
        counts.started += 1;
        const operation = begin(plan, upload, engine, counts.started);
        entry.id = operation.id;
        // As it stands at birth, even where the scenario lets it end at once.
        const json = operationOnWire(operation, Number.NEGATIVE_INFINITY, names);
        return { status: scenario().successStatus, json };
      },
    };
  }

  const scriptOf = ({ sha256, name }: FileNames) => {
    const { files } = scenario();
    return files[sha256] ?? files[name] ?? files['*'];
  };
  const isNamed = ({ sha256, name }: FileNames) =>
    Object.hasOwn(scenario().files, sha256) || Object.hasOwn(scenario().files, name);

  function begin(
    plan: FaultPlan<CreditStage>,
    upload: Upload,
    engine: Engine,
    ordinal: number,
  ): Operation {
    const { file, xmls } = upload;
    const { analysis, resultDelayMs } = scenario();
    const script = scriptOf(file);
    const { kind } = plan.nextEnding(subjectOf(upload), script?.end, creditEndings, isNamed(file));
    const { sha256, name } = file;
    const words = [seed, 'operation', sha256, name, xmls?.sha256 ?? '', engine.id, ordinal];
    const work = beginWork(clock.now(), kind, analysis, words);
    const operation: Operation = {
      ...work,
      id: seededUuid(words.join('|')),
      upload,
      engine,
      ordinal,
      resultAt: work.endsAt + drawDuration(resultDelayMs, 'uniform', ...words, 'result'),
      failure: {
        code: 'analysis_failed',
        message: 'A analise nao pode ser concluida.',
        ...script?.failure,
      },
    };
    operations.set(operation.id, operation);
    titulosHeld += file.remittance.titulos.length;
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
    if (operations.size >= Math.min(parts.capacity, operationLimit) || titulos > tituloLimit) {
      throw new Refusal(507, 'sandbox_full', 'The sandbox holds no more operations.');
    }
  }

  /** @throws Refusal 400, 404 */
  function findOperation({ params }: Request): Operation {
    const operation = operations.get(uuidIn(params, 'id'));
    if (operation === undefined) {
      throw new Refusal(404, 'operation_not_found', 'No such operation.');
    }
    return operation;
  }

  function prepareStatus(request: Request): PreparedCall {
    const operation = findOperation(request);
    countsOf(operation.upload, operation.engine).polls += 1;
    const json = () => operationOnWire(operation, clock.now(), names);
    return { ...about(operation), act: () => ({ status: 200, json: json() }) };
  }

  function prepareResult(request: Request): PreparedCall {
    const operation = findOperation(request);
    const filter = filterOf(request.query);
    const notReady = () => notReadyAnswer(operation);
    countsOf(operation.upload, operation.engine).results += 1;
    return {
      ...about(operation),
      notReady,
      act: (trouble) =>
        hasResult(operation, clock.now()) ? resultOf(operation, filter, trouble) : notReady(),
    };
  }

  function resultOf(operation: Operation, filter: ResultFilter, trouble: Trouble | null): Answer {
    const { engine, upload } = operation;
    const timestamp = iso(operation.endsAt);
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
    const pieces = resultPieces(head, judgement, filter, trouble?.kind ?? null);
    return { status: 200, pieces };
  }

  function notReadyAnswer(operation: Operation): Answer | Refusal {
    const status = scenario().notReadyStatus;
    if (status === 204) return { status };
    if (status === 202) return { status, json: operationOnWire(operation, clock.now(), names) };
    return new Refusal(status, 'result_not_ready', 'The operation has no result yet.');
  }

  const held = (operation: Operation): OperationHeld => ({
    fileSha256: operation.upload.file.sha256,
    xmlsSha256: operation.upload.xmls?.sha256 ?? null,
    engineId: operation.engine.id,
    ordinal: operation.ordinal,
    titulos: operation.upload.file.remittance.titulos.length,
    ending: operation.ending,
    resultAt: operation.ending === 'completed' ? iso(operation.resultAt) : null,
    operation: operationOnWire(operation, clock.now(), names),
  });

  const one = `${prefix}/operations/:id`;
  const routes = (plan: FaultPlan<CreditStage>): Route<CreditStage>[] => [
    {
      method: 'POST',
      path: `${prefix}/operations`,
      stage: 'upload',
      streams: true,
      prepare: (request) => prepareUpload(plan, request),
    },
    { method: 'GET', path: one, stage: 'status', prepare: prepareStatus },
    {
      method: 'GET',
      path: `${one}/result`,
      stage: 'result',
      query: ['filter', 'include'],
      prepare: prepareResult,
    },
  ];

  return {
    routes,
    scriptOf,
    isNamed,
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
