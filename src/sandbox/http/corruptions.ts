/** What faults do to JSON that arrives whole and does not say what it should. */

import type { JsonObject } from './answer';

export type Corruption = (json: JsonObject, cursorSent: string | null) => JsonObject;

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

export const repeatedCursor: Corruption = (json, cursorSent) => {
  const cursor = cursorSent ?? (json['page'] as JsonObject)['next_cursor'];
  return { ...json, page: { next_cursor: cursor, has_more: cursor !== null } };
};

/** Each item of a list by itself. */
export function corruptEach(json: object, corrupt: (one: JsonObject) => JsonObject): object {
  const each = (items: readonly unknown[]) => items.map((item) => corrupt(item as JsonObject));
  if (Array.isArray(json)) return each(json);
  const { data } = json as JsonObject;
  return Array.isArray(data) ? { ...json, data: each(data) } : corrupt(json as JsonObject);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
