import { z } from 'zod';
import { JsonText, memberText } from '../../domain/core/json-text';
import { ContractError, type CallName } from '../http/errors';
import { parseJson } from '../http/problem';
import { flag, idText, number, parseWire, reported, tolerant } from '../http/tolerant';

/** The service's shape of an engine (specification: "Engine"). Required: its id and its name. */
const engineWire = z.object({
  id: idText,
  name: z.string(),
  description: reported,
  isTemplate: flag,
  ruleCount: number,
  rules: tolerant(
    z.array(z.object({ id: reported, name: reported, severity: reported, enabled: flag })),
  ),
});

/** `rulesText`: the raw rules with every field; absent where the service shows none, as in its list. */
export type Engine = z.infer<typeof engineWire> & { rulesText?: JsonText };

/**
 * The engine itself, or the only one inside the response.
 *
 * @throws ContractError when the body is not JSON, or lacks a required field
 */
export function engineFromWire(call: CallName, body: Buffer): Engine {
  const parsed = parseJson(body);
  const wrapped = objectEntries(parsed).filter(([, value]) => isEngine(value));
  const [name] = isEngine(parsed) || wrapped.length !== 1 ? [] : (wrapped[0] ?? []);
  const engine = parseWire(engineWire, call, name === undefined ? parsed : wrapped[0]?.[1]);
  const whole = body.toString('utf8');
  const text = name === undefined ? whole : memberText(whole, name);
  const rules = text === null || engine.rules === null ? null : memberText(text, 'rules');
  return rules === null ? engine : { ...engine, rulesText: new JsonText(rules) };
}

/** A page of a list of engines. */
export interface EnginesPage {
  engines: Engine[];
  /** Query of the next page, as the page names it; null: none. */
  next: Record<string, string> | null;
  /** The same by the number of the page, if it has one. */
  numbered: Record<string, string> | null;
  /** It says that there is no more; a cursor beside that leads to nothing new. */
  saysEnd: boolean;
  /** The field that says that there is more; null: none. */
  more: string | null;
  /** Engines and pages in all, as reported; 0: not reported. */
  total: number;
  totalPages: number;
}

/**
 * A bare array, else the only array of engines in the body or in an object of it.
 *
 * @param link the header of that name
 * @throws ContractError when there is none, or more than one
 */
export function enginesFromWire(call: CallName, body: Buffer, link = ''): EnginesPage {
  const parsed = parseJson(body);
  const listed = Array.isArray(parsed) ? parsed : onlyArray(call, parsed);
  const members = membersOf(parsed);
  const linked = /<([^>]*)>\s*;[^,]*\brel\s*=\s*"?next\b/i.exec(link)?.[1];
  const next = [linked, ...members.map(([name, value]) => nextIn(name, value))]
    .map((one) => (one === undefined ? null : queryOf(one)))
    .find((query) => query !== null);
  const [more] = members.filter(([name, value]) => tellsOfMore(name, value)).map(([name]) => name);
  const counted = (names: RegExp) =>
    members.find(([name, value]) => names.test(name) && number.parse(value) !== null);
  const [numberName, at] = counted(isPageNumber) ?? [];
  const param = numberName?.startsWith('page') ? numberName : 'page';
  return {
    engines: parseWire(z.array(engineWire), call, listed),
    next: next ?? null,
    numbered: at === undefined ? null : { [param]: String(Number(at) + 1) },
    saysEnd: members.some(([name, value]) => isMoreName.test(name) && value === false),
    more: more ?? null,
    total: Number(counted(isTotal)?.[1] ?? 0),
    totalPages: Number(counted(isTotalPages)?.[1] ?? 0),
  };
}

export function isOnlyAPage(error: unknown): boolean {
  return error instanceof ContractError && error.issues.some(({ code }) => code === onlyAPage);
}

const onlyAPage = 'only_a_page';

/** With pages missing, an existing engine would seem not to exist. */
export function refusePage(call: CallName, path: string): never {
  throw new ContractError(call, [{ path, code: onlyAPage }]);
}

/** The only array that holds engines and nothing else. */
function onlyArray(call: CallName, body: unknown): unknown[] {
  const outer = arraysIn(objectEntries(body));
  const arrays = outer.length > 0 ? outer : arraysIn(membersOf(body));
  const ofEngines = arrays.filter((array) => array.length > 0 && array.every(isEngine));
  const [only, ...others] = ofEngines.length === 1 ? ofEngines : arrays;
  if (only !== undefined && others.length === 0) return only;
  const code = arrays.length === 0 ? 'no_array' : 'several_arrays';
  throw new ContractError(call, [{ path: '', code }]);
}

const isEngine = (value: unknown): boolean => engineWire.safeParse(value).success;
const isTotal = /^total_?(count|items|elements|records)?$|^count$/i;
const isTotalPages = /^(total_?pages|page_?count|pages|last_?page)$/i;
const isPageNumber = /^(page|page_?(number|no|index)|current_?page|number)$/i;
const isMoreName = /^has_?(more|next)(_?page)?$/i;
const isNextName = /^next(_?(cursor|page|token|url|link|page_?token))?$/i;

/** Address or cursor of the next page. */
function nextIn(name: string, value: unknown): string | undefined {
  if (!isNextName.test(name)) return undefined;
  const next = new Map(objectEntries(value)).get('href') ?? value;
  return typeof next === 'string' && next !== '' ? next : undefined;
}

/** Only the query of an address is used: pages are requested at the address of the list. */
function queryOf(address: string): Record<string, string> | null {
  if (!/[/?]/.test(address)) return { cursor: address };
  const query = [...new URLSearchParams(/\?([^#]*)/.exec(address)?.[1] ?? '')];
  return query.length === 0 ? null : Object.fromEntries(query);
}

function tellsOfMore(name: string, value: unknown): boolean {
  if (!isNextName.test(name) && !isMoreName.test(name)) return false;
  const isNone = value === null || value === undefined || value === false || value === '';
  return !isNone && !(typeof value === 'object' && objectEntries(value).length === 0);
}

type Entries = [name: string, value: unknown][];

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
