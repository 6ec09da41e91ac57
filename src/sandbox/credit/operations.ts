/** One operation: everything it will ever be is fixed when it starts; the clock reveals it. */

import { drawDuration, seededUuid } from '../chance';
import type { JsonObject } from '../engine/answer';
import type { FileSubject } from './credit-fault-plan';
import type { CreditNames } from './credit-names';
import type { CreditEndingStep, CreditScenario } from './credit-scenario';
import type { Engine } from './engines';
import type { Upload } from './upload';

export interface Operation {
  id: string;
  file: FileSubject;
  upload: Upload;
  /** As it was when the operation began. */
  engine: Engine;
  /** Which operation of this file, ZIP and engine, from 1. */
  ordinal: number;
  ending: CreditEndingStep;
  /** Instants, in milliseconds. */
  createdAt: number;
  startsAt: number;
  endsAt: number;
  resultAt: number;
  failure: { code: string; message: string };
}

export interface OperationStart {
  seed: number;
  upload: Upload;
  engine: Engine;
  ordinal: number;
  at: number;
  ending: CreditEndingStep;
  scenario: CreditScenario;
  failure: { code?: string | undefined; message?: string | undefined } | undefined;
}

export function startOperation(start: OperationStart): Operation {
  const { seed, upload, engine, ordinal, at, scenario } = start;
  const { sha256, name } = upload.file;
  const words = [seed, 'operation', sha256, name, upload.xmls?.sha256 ?? '', engine.id, ordinal];
  const { waitingMs, processingMs, distribution } = scenario.analysis;
  const startsAt = at + drawDuration(waitingMs, distribution, 'waiting', ...words);
  const endsAt = startsAt + drawDuration(processingMs, distribution, 'processing', ...words);
  return {
    id: seededUuid(words.join('|')),
    file: { sha256, name },
    upload,
    engine,
    ordinal,
    ending: start.ending,
    createdAt: at,
    startsAt,
    endsAt,
    resultAt: endsAt + drawDuration(scenario.resultDelayMs, 'uniform', 'result', ...words),
    failure: {
      code: start.failure?.code ?? 'analysis_failed',
      message: start.failure?.message ?? 'A analise nao pode ser concluida.',
    },
  };
}

export type OperationStatus = keyof CreditNames['words'];

export function statusAt({ startsAt, endsAt, ending }: Operation, now: number): OperationStatus {
  if (now < startsAt) return 'queued';
  if (now < endsAt || ending.kind === 'never_settles') return 'processing';
  return ending.kind === 'failed' ? 'failed' : 'completed';
}

export function hasResult(operation: Operation, now: number): boolean {
  const isDone = statusAt(operation, now) === 'completed' && now >= operation.resultAt;
  return isDone && operation.ending.kind !== 'no_result';
}

/** The operation as the service shows it, in the words of the names. Absent means not yet. */
export function operationOnWire(operation: Operation, now: number, names: CreditNames): JsonObject {
  const status = statusAt(operation, now);
  const iso = (at: number) => new Date(at).toISOString();
  return {
    [names.idField]: operation.id,
    [names.statusField]: names.words[status],
    engine: { name: operation.engine.name, ref: operation.engine.id },
    arquivo: operation.file.name,
    createdAt: iso(operation.createdAt),
    ...(status === 'queued' ? {} : { startedAt: iso(operation.startsAt) }),
    ...(status === 'completed' || status === 'failed' ? { finishedAt: iso(operation.endsAt) } : {}),
    ...(status === 'failed' ? { error: operation.failure } : {}),
  };
}
