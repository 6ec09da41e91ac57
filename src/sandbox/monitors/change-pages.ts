/** Pages of changes, and the two kinds of cursor that lead from one to the next. */

import { z } from 'zod';
import { Refusal } from '../engine/problem';
import type { HeldChange, HeldChanges, Place } from './held-changes';
import { severityWords, type MonitorScenario, type SeverityWord } from './monitor-scenario';

export interface PageWish {
  pageSize: number;
  status: 'open' | 'acknowledged' | null;
  severity: SeverityWord | null;
  /** As it came; null for the first page. */
  cursor: string | null;
  /** Behind the last item shown, or a number of items. */
  start: { from: Place | null; skip: number };
}

export interface ChangesShown {
  changes: HeldChange[];
  nextCursor: string | null;
}

type Names = Pick<
  MonitorScenario,
  'pageSizeName' | 'cursorName' | 'statusName' | 'severityName' | 'defaultPageSize'
>;

/** A query parameter of this name is not looked at, and neither is any other unknown one. */
const ignored = 'ignored';

/** @throws Refusal 400 */
export function readPageWish(query: URLSearchParams, names: Names): PageWish {
  const { pageSizeName, cursorName, statusName, severityName } = names;
  const known = [pageSizeName, cursorName, statusName, severityName];
  for (const name of query.keys()) {
    if (!known.includes(name) && !known.includes(ignored)) {
      throw new Refusal(400, 'unknown_parameter', `Unknown query parameter ${name}.`);
    }
    if (known.includes(name) && query.getAll(name).length > 1) {
      throw new Refusal(400, 'repeated_parameter', `${name} came twice.`);
    }
  }
  const given = (name: string) => (name === ignored ? null : query.get(name));
  const cursor = given(cursorName);
  return {
    pageSize: pageSizeFrom(given(pageSizeName), names),
    status: wordFrom(['open', 'acknowledged'], given(statusName), statusName),
    severity: wordFrom(severityWords, given(severityName), severityName),
    cursor,
    start: cursor === null ? { from: null, skip: 0 } : startOf(cursor, cursorName),
  };
}

function pageSizeFrom(text: string | null, { pageSizeName, defaultPageSize }: Names): number {
  if (text === null) return defaultPageSize;
  if (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 100) return Number(text);
  throw new Refusal(400, 'invalid_page_size', `${pageSizeName}: expected 1 to 100.`);
}

function wordFrom<Word extends string>(
  words: readonly Word[],
  text: string | null,
  name: string,
): Word | null {
  if (text === null) return null;
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new Refusal(400, 'invalid_filter', `${name}: expected one of ${words.join(', ')}.`);
}

/** Opaque to a client, though nothing hides in them. */
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

const cursorShape = z.union([
  z.strictObject({ skip: z.int().min(0) }),
  z.strictObject({ behind: z.tuple([z.number(), z.number()]) }),
]);

/** @throws Refusal 400 */
function startOf(cursor: string, name: string): PageWish['start'] {
  const parsed = cursorShape.safeParse(jsonOrNull(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success) throw new Refusal(400, 'invalid_cursor', `${name}: no cursor of ours.`);
  if ('skip' in parsed.data) return { from: null, skip: parsed.data.skip };
  const [detectedAt, ordinal] = parsed.data.behind;
  return { from: { detectedAt, ordinal }, skip: 0 };
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function pageOf(
  changes: HeldChanges,
  wish: PageWish,
  { cursors, order }: Pick<MonitorScenario, 'cursors' | 'order'>,
  now: number,
): ChangesShown {
  const found = walked(changes, wish, order === 'newest', now);
  const shown = found.slice(0, wish.pageSize);
  const last = shown.at(-1);
  if (found.length <= wish.pageSize || last === undefined) {
    return { changes: shown, nextCursor: null };
  }
  const next =
    cursors === 'stable'
      ? { behind: [last.detectedAt, last.ordinal] }
      : { skip: wish.start.skip + shown.length };
  return { changes: shown, nextCursor: encode(next) };
}

/** One more than the page holds, when there is one. */
function walked(
  changes: HeldChanges,
  { pageSize, status, severity, start }: PageWish,
  newestFirst: boolean,
  now: number,
): HeldChange[] {
  const walk = { now, newestFirst, severity };
  const wanted = pageSize + 1;
  if (status !== 'acknowledged') {
    return changes.walk({ ...walk, ...start, openOnly: status === 'open', wanted });
  }
  // Rarely asked for: all that has appeared is looked through.
  const all = changes.walk({
    ...walk,
    from: start.from,
    skip: 0,
    openOnly: false,
    wanted: changes.size,
  });
  const acknowledged = all.filter(({ acknowledgedAt }) => acknowledgedAt !== null);
  return acknowledged.slice(start.skip, start.skip + wanted);
}
