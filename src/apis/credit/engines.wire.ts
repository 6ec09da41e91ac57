import { z } from 'zod';
import type { Engine } from '../../domain/credit/engine';
import { JsonText, memberText } from '../../domain/json-text';
import { ContractError, type CallName } from '../http/errors';
import { parseJson } from '../http/problem';

/** The service's shape of an engine (specification: "Engine"). Relied on: its id and its name. */
const told = z
  .string()
  .nullish()
  .catch(null)
  .transform((value) => value ?? null);
const flag = z
  .boolean()
  .nullish()
  .catch(null)
  .transform((value) => value ?? null);
const count = z
  .number()
  .nullish()
  .catch(null)
  .transform((value) => value ?? null);

const engineWire = z.object({
  id: z.string().min(1).max(200),
  name: z.string(),
  description: told,
  isTemplate: flag,
  ruleCount: count,
  rules: z
    .array(z.object({ id: told, name: told, severity: told, enabled: flag }))
    .nullish()
    .catch(null)
    .transform((rules) => rules ?? null),
});

/** @throws ContractError when the body is no JSON, or lacks what we rely on */
export function engineFromWire(call: CallName, body: Buffer): Engine {
  const engine = parse(engineWire, call, parseJson(body));
  const text = engine.rules === null ? null : memberText(body.toString('utf8'), 'rules');
  return text === null ? engine : { ...engine, rulesText: new JsonText(text) };
}

/**
 * A bare array, else the only array in the body (DESIGN 4).
 *
 * @throws ContractError when there is none, or more than one
 */
export function enginesFromWire(call: CallName, body: Buffer): Engine[] {
  const parsed = parseJson(body);
  return parse(z.array(engineWire), call, Array.isArray(parsed) ? parsed : onlyArray(call, parsed));
}

function onlyArray(call: CallName, body: unknown): unknown {
  const values = typeof body === 'object' && body !== null ? Object.values(body) : [];
  const arrays = values.filter(Array.isArray);
  if (arrays.length === 1) return arrays[0];
  const code = arrays.length === 0 ? 'no_array' : 'several_arrays';
  throw new ContractError(call, [{ path: '', code }]);
}

function parse<T>(schema: z.ZodType<T>, call: CallName, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, code }) => ({ path: path.join('.'), code }));
  throw new ContractError(call, issues);
}
