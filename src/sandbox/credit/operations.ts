/** Operations: the calls about them, those that are held, and how the service shows one. */

import { drawDuration, seededUuid } from '../core/chance';
import { createTally } from '../core/tally';
import { beginWork, statusOf, type Work } from '../core/work';
import type { FaultPlan, Subject } from '../faults/fault-plan';
import { iso, Refusal, sandboxFull, type Answer, type JsonObject } from '../http/answer';
import { uuidIn, type Request } from '../http/request';
import type { PreparedCall, ResourceParts, Route } from '../http/service';
import {
  creditEndings,
  type CreditEnding,
  type CreditNames,
  type CreditScenario,
  type CreditStage,
} from './credit-scenario';
import type { Engine, Engines } from './engines';
import { resultOf, type ResultFilter } from './result';
import { readUpload, type Upload } from './upload';

interface OperationParts extends Pick<ResourceParts, 'seed' | 'clock' | 'capacity'> {
  /** Path below which the routes stand. */
  prefix: string;
  scenario: () => CreditScenario;
  names: CreditNames;
  engines: Engines;
}

interface Operation extends Work<CreditEnding> {
  id: string;
  upload: Upload;
  /** As it was when the operation began. */
  engine: Engine;
  /** In milliseconds, as the instants of the work. */
  resultAt: number;
  failure: JsonObject;
}

/** How often one file, with one ZIP, was sent to one engine. */
const noCounts = {
  fileSha256: '',
  fileName: '',
  xmlsSha256: null as string | null,
  engineId: '',
  /** Uploads that arrived whole and could be analysed. */
  requested: 0,
  /** Operations that the service really began: more than one is an analysis bought twice. */
  started: 0,
  /** Reads of the status, and of the result. */
  polls: 0,
  results: 0,
};

/** Of a form: larger parts are for `maxFileBytes` to refuse. */
const formLimitBytes = 256 * 1024 * 1024;

export function createOperations(parts: OperationParts) {
  const { clock, engines, names, prefix, scenario, seed } = parts;
  const tally = createTally(noCounts);
  const operations = new Map<string, Operation>();

  function countsOf({ file, xmls }: Upload, { id: engineId }: Engine) {
    const xmlsSha256 = xmls?.sha256 ?? null;
    const { name: fileName, sha256: fileSha256 } = file;
    const key = [fileSha256, xmlsSha256, engineId].join('|');
    return tally.of(key, { fileSha256, fileName, xmlsSha256, engineId });
  }

  /** Each pair of bytes and file name goes through its own copy of the steps. */
  const subjectOf = ({ file }: Upload) => ({ subject: file.sha256, variant: file.name });
  const about = ({ id, upload }: Operation) => ({ ...subjectOf(upload), id });

  async function prepareUpload(plan: FaultPlan<CreditStage>, request: Request) {
    const upload = await readUpload(request, { names, maxFileBytes: scenario().maxFileBytes });
    const engine = upload.engineId === null ? engines.all()[0] : engines.find(upload.engineId);
    if (engine === undefined) {
      throw new Refusal(422, 'unknown_engine', `${names.enginePart}: there is no such engine.`);
    }
    if (operations.size >= parts.capacity) throw sandboxFull(parts.capacity);
    const counts = countsOf(upload, engine);
    counts.requested += 1;
    return {
      ...subjectOf(upload),
      id: null,
      act: () => {
        counts.started += 1;
        const operation = begin(plan, upload, engine, counts.started);
        request.entry.id = operation.id;
        // As it stands at birth, even where the scenario lets it end at once.
        return { status: scenario().successStatus, json: shown(operation, -Infinity) };
      },
    };
  }

  const scriptOf = ({ subject: sha256, variant: name = '' }: Subject) => {
    const { files } = scenario();
    return files[sha256] ?? files[name] ?? files['*'];
  };
  const isNamed = ({ subject: sha256, variant: name = '' }: Subject) =>
    Object.hasOwn(scenario().files, sha256) || Object.hasOwn(scenario().files, name);

  function begin(
    plan: FaultPlan<CreditStage>,
    upload: Upload,
    engine: Engine,
    ordinal: number,
  ): Operation {
    const { file, xmls } = upload;
    const { analysis, resultDelayMs } = scenario();
    const subject = subjectOf(upload);
    const script = scriptOf(subject);
    const { kind } = plan.nextEnding(subject, script?.end, creditEndings, isNamed(subject));
    const { sha256, name } = file;
    const words = [seed, 'operation', sha256, name, xmls?.sha256 ?? '', engine.id, ordinal];
    const work = beginWork(clock.now(), kind, analysis, words);
    const message = 'A analise nao pode ser concluida.';
    const operation: Operation = {
      ...work,
      id: seededUuid(words.join('|')),
      upload,
      engine,
      resultAt: work.endsAt + drawDuration(resultDelayMs, 'uniform', ...words, 'result'),
      failure: { code: 'analysis_failed', message, ...script?.failure },
    };
    operations.set(operation.id, operation);
    return operation;
  }

  /** @throws Refusal 400, 404 */
  function find(request: Request): Operation {
    const operation = operations.get(uuidIn(request, 'id'));
    if (operation !== undefined) return operation;
    throw new Refusal(404, 'operation_not_found', 'No such operation.');
  }

  const statusAt = (operation: Operation, now: number) => {
    const before = ['queued', 'processing'] as const;
    return statusOf<CreditEnding, keyof CreditNames['words']>(
      operation,
      now,
      before,
      creditEndings,
    );
  };

  /** In the words of the names. Absent means not yet. */
  function shown(operation: Operation, now = clock.now()): JsonObject {
    const status = statusAt(operation, now);
    const { createdAt, endsAt, engine, failure, id, startsAt, upload } = operation;
    return {
      [names.idField]: id,
      [names.statusField]: names.words[status],
      engine: { name: engine.name, ref: engine.id },
      arquivo: upload.file.name,
      createdAt: iso(createdAt),
      ...(status === 'queued' ? {} : { startedAt: iso(startsAt) }),
      ...(now >= endsAt ? { finishedAt: iso(endsAt) } : {}),
      ...(status === 'failed' ? { error: failure } : {}),
    };
  }

  function prepareStatus(request: Request): PreparedCall {
    const operation = find(request);
    countsOf(operation.upload, operation.engine).polls += 1;
    return { ...about(operation), act: () => ({ status: 200, json: shown(operation) }) };
  }

  function prepareResult(request: Request): PreparedCall {
    const operation = find(request);
    const filter = filterOf(request.query);
    const notReady = () => notReadyAnswer(operation);
    countsOf(operation.upload, operation.engine).results += 1;
    return {
      ...about(operation),
      notReady,
      act: (fault) => {
        const isDone = statusAt(operation, clock.now()) === 'completed';
        const isThere = isDone && operation.ending !== 'no_result';
        if (!isThere || clock.now() < operation.resultAt) return notReady();
        return { status: 200, json: resultOf(operation, filter, fault?.kind) };
      },
    };
  }

  function notReadyAnswer(operation: Operation): Answer | Refusal {
    const status = scenario().notReadyStatus;
    if (status === 204) return { status };
    if (status === 202) return { status, json: shown(operation) };
    return new Refusal(status, 'result_not_ready', 'The operation has no result yet.');
  }

  const all = `${prefix}/operations`;
  const query = ['filter', 'include'];
  const uploadTerms = { fileLimitBytes: formLimitBytes };
  const routes = (plan: FaultPlan<CreditStage>): Route<CreditStage>[] => [
    ['POST', all, 'upload', (request) => prepareUpload(plan, request), uploadTerms],
    ['GET', `${all}/:id`, 'status', prepareStatus],
    ['GET', `${all}/:id/result`, 'result', prepareResult, { query }],
  ];

  return {
    routes,
    scriptOf,
    isNamed,
    counts: tally.all,
    /** What a poll would show now, and what no poll shows. */
    held: () =>
      [...operations.values()].map((operation) => ({
        fileSha256: operation.upload.file.sha256,
        xmlsSha256: operation.upload.xmls?.sha256 ?? null,
        engineId: operation.engine.id,
        /** How it ends, or has ended. */
        ending: operation.ending,
        operation: shown(operation),
      })),
  };
}

/** @throws Refusal 400 */
function filterOf(query: URLSearchParams): ResultFilter {
  const filter = query.get('filter') ?? 'issues';
  if (filter !== 'issues' && filter !== 'all') {
    throw new Refusal(400, 'invalid_filter', 'filter: expected issues or all.');
  }
  if (!['evidence', null].includes(query.get('include'))) {
    throw new Refusal(400, 'invalid_include', 'include: expected evidence.');
  }
  return filter;
}
