/** Answers that arrive whole but do not say what they should. */

import type { FaultKind } from '../faults/fault-words';
import type { Answer, JsonObject } from './answer';

type Spoiling = (json: JsonObject, cursorSent: string | null) => JsonObject;
/** By the word of the fault. */
export type Spoilings = Partial<Record<FaultKind, Spoiling>>;

export function without(json: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(json).filter(([key]) => !keys.includes(key)));
}

/** Words that no document lists. */
export function underReview(json: JsonObject): JsonObject {
  const severity = 'severity' in json ? { severity: 'gravissima' } : {};
  return { ...json, status: 'aguardando_revisao', ...severity };
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

const usual: Spoilings = {
  missing_id: (json) => without(json, 'id'),
  extra_fields: withExtraFields,
  unknown_status: underReview,
};

/** Of a list as a whole. */
const ofLists: Spoilings = {
  bad_item: (json) => ({ ...json, data: [{ id: 7, status: null }, ...(json['data'] as object[])] }),
  repeated_cursor: (json, cursorSent) => {
    const cursor = cursorSent ?? (json['page'] as JsonObject)['next_cursor'];
    return { ...json, page: { next_cursor: cursor, has_more: cursor !== null } };
  },
};

/** The answer with what the fault puts into it; each item of a list by itself. */
export function spoil(
  kind: FaultKind,
  answer: Answer,
  own: Spoilings,
  cursorSent: string | null,
): Answer {
  if (!('json' in answer)) return answer;
  const { json } = answer;
  const whole = ofLists[kind];
  if (whole !== undefined) return { ...answer, json: whole(json as JsonObject, cursorSent) };
  const spoilOne = own[kind] ?? usual[kind];
  if (spoilOne === undefined) return answer;
  const each = (items: readonly unknown[]) =>
    items.map((item) => spoilOne(item as JsonObject, cursorSent));
  if (Array.isArray(json)) return { ...answer, json: each(json) };
  const { data } = json as JsonObject;
  return {
    ...answer,
    json: Array.isArray(data)
      ? { ...json, data: each(data) }
      : spoilOne(json as JsonObject, cursorSent),
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
