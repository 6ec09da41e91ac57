/** Answers that arrive whole but do not say what they should. */

import type { ActingFaultKind } from '../faults/fault-words';
import type { Answer, JsonObject } from './answer';

export function spoil(kind: ActingFaultKind, answer: Answer): Answer {
  return 'json' in answer
    ? { ...answer, json: spoiltJson[kind]?.(answer.json) ?? answer.json }
    : { ...answer, bytes: spoiltPdf[kind]?.(answer.bytes) ?? answer.bytes };
}

const spoiltJson: Partial<Record<ActingFaultKind, (json: JsonObject) => JsonObject>> = {
  // The links hold the id too.
  missing_id: (json) => without(json, ['certidao_id', 'links']),
  extra_fields: withExtraFields,
  unknown_status: underReview,
  unknown_status_forever: underReview,
};

const spoiltPdf: Partial<Record<ActingFaultKind, (bytes: Buffer) => Buffer>> = {
  // A comment after the end: readers still open the file, its sum is another.
  wrong_sha256: (bytes) => Buffer.concat([bytes, Buffer.from('% another copy\n')]),
  empty_pdf: () => Buffer.alloc(0),
};

function underReview(json: JsonObject): JsonObject {
  return {
    ...without(json, ['result', 'evidence', 'error', 'completed_at']),
    status: 'aguardando_revisao',
    stage: 'revisao_manual',
  };
}

function without(json: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(json).filter(([key]) => !keys.includes(key)));
}

export function withExtraFields(json: JsonObject): JsonObject {
  const inner = Object.entries(json).map(([key, value]) => [
    key,
    isObject(value) ? withExtraFields(value) : value,
  ]);
  return {
    ...Object.fromEntries(inner),
    campo_novo: 'ainda sem documentacao',
    metadados: { versao: 2, etiquetas: ['a', 'b'] },
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
