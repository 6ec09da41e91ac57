import { z } from 'zod';
import type { Engine } from '../../domain/credit/engine';
import { JsonText, memberText } from '../../domain/core/json-text';
import { ContractError, type CallName } from '../http/errors';
import { parseJson } from '../http/problem';
import { flag, number, told, tolerant } from '../http/tolerant';

/** The service's shape of an engine (specification: "Engine"). Relied on: its id and its name. */
const engineWire = z.object({
  id: z.union([z.string().min(1).max(200), z.number().int().transform(String)]),
  name: z.string(),
  description: told,
  isTemplate: flag,
  ruleCount: number,
  rules: tolerant(z.array(z.object({ id: told, name: told, severity: told, enabled: flag }))),
});

/** @throws ContractError when the body is no JSON, or lacks what we rely on */
export function engineFromWire(call: CallName, body: Buffer): Engine {
  const engine = parse(engineWire, call, parseJson(body));
  const text = engine.rules === null ? null : memberText(body.toString('utf8'), 'rules');
  return text === null ? engine : { ...engine, rulesText: new JsonText(text) };
}

/**
 * A bare array, else the only array in the body or in an object of it. A page of a longer
 * list is refused with the code `only_a_page`: an engine that is not on it would seem not to exist.
 *
 * @param link the header of that name
 * @throws ContractError when there is none, or more than one, or it is a page
 */
export function enginesFromWire(call: CallName, body: Buffer, link = ''): Engine[] {
  const parsed = parseJson(body);
  const listed = Array.isArray(parsed) ? parsed : onlyArray(call, parsed);
  if (/\brel\s*=\s*"?next\b/i.test(link)) refusePage(call, 'link');
  for (const [name, value] of membersOf(parsed)) {
    if (tellsOfMore(name, value, listed.length)) refusePage(call, name);
  }
  return parse(z.array(engineWire), call, listed);
}

export function isOnlyAPage(error: unknown): boolean {
  return error instanceof ContractError && error.issues.some(({ code }) => code === onlyAPage);
}

const onlyAPage = 'only_a_page';

function refusePage(call: CallName, path: string): never {
  throw new ContractError(call, [{ path, code: onlyAPage }]);
}

function onlyArray(call: CallName, body: unknown): unknown[] {
  const outer = arraysIn(objectEntries(body));
  const arrays = outer.length > 0 ? outer : arraysIn(membersOf(body));
  const [only] = arrays;
  if (only !== undefined && arrays.length === 1) return only;
  const code = arrays.length === 0 ? 'no_array' : 'several_arrays';
  throw new ContractError(call, [{ path: '', code }]);
}

function tellsOfMore(name: string, value: unknown, listed: number): boolean {
  if (/^total_?(count|items|elements|records)?$|^count$/i.test(name)) {
    return typeof value === 'number' && value > listed;
  }
  if (/^total_?pages$/i.test(name)) return typeof value === 'number' && value > 1;
  if (
    /^(has_?(more|next)(_?page)?|next(_?(cursor|page|token|url|link|page_?token))?)$/i.test(name)
  ) {
    return value !== null && value !== undefined && value !== false && value !== '';
  }
  return false;
}

type Entries = [name: string, value: unknown][];

/** Members of an object, and of the objects among them. */
function membersOf(body: unknown): Entries {
  const entries = objectEntries(body);
  return [...entries, ...entries.flatMap(([, value]) => objectEntries(value))];
}

function objectEntries(value: unknown): Entries {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.entries(value) : [];
}

function arraysIn(entries: Entries): unknown[][] {
  return entries.map(([, value]) => value).filter((value) => Array.isArray(value));
}

function parse<T>(schema: z.ZodType<T>, call: CallName, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, code }) => ({ path: path.join('.'), code }));
  throw new ContractError(call, issues);
}
