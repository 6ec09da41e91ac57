/** One operation, and how the service shows it, in the words of the names. Absent means not yet. */

import { statusOf, type Work } from '../core/work';
import { iso, type JsonObject } from '../http/answer';
import type { CreditNames } from './credit-names';
import type { CreditEnding } from './credit-scenario';
import type { Engine } from './engines';
import type { Upload } from './upload';

export interface Operation extends Work<CreditEnding> {
  id: string;
  upload: Upload;
  /** As it was when the operation began. */
  engine: Engine;
  /** Which operation of this file, ZIP and engine, from 1. */
  ordinal: number;
  /** In milliseconds, as the instants of the work. */
  resultAt: number;
  failure: JsonObject;
}

const settledAs = {
  completed: 'completed',
  no_result: 'completed',
  failed: 'failed',
  never_settles: 'processing',
} as const;

function statusAt(operation: Operation, now: number) {
  return statusOf<CreditEnding, keyof CreditNames['words']>(
    operation,
    now,
    ['queued', 'processing'],
    settledAs,
  );
}

export function hasResult(operation: Operation, now: number): boolean {
  const isDone = statusAt(operation, now) === 'completed' && now >= operation.resultAt;
  return isDone && operation.ending !== 'no_result';
}

export function operationOnWire(operation: Operation, now: number, names: CreditNames): JsonObject {
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
