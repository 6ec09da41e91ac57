import {
  listenItems,
  longestFrequencyHours,
  shortestFrequencyHours,
  type Monitor,
  type MonitorUpdate,
} from './change';
import type { AuditEntry } from '../core/audit';

/** Changing a monitor: what may be asked for, and what became of it. */

/** Null: not told. */
export type FieldValue = string | number | boolean | readonly string[] | null;

/** A field of a monitor, in the service's words, as it was and as it is. */
export interface MonitorDifference {
  field: string;
  before: FieldValue;
  after: FieldValue;
}

/** Why an update cannot be sent; null when it can. Never holds an address in full. */
export function updateFault({
  name,
  listenItems: listened,
  emails,
  frequencyHours,
}: MonitorUpdate): string | null {
  if ([name, listened, emails, frequencyHours].every((field) => field === undefined)) {
    return 'nothing to change: --name, --listen, --emails or --frequency';
  }
  if (name?.trim() === '') return 'a name of a monitor has at least one character';
  if (listened?.length === 0) return `expected at least one of ${listenItems.join(', ')}`;
  const twice = [listened ?? [], emails ?? []].some(
    (words) => new Set(words).size !== words.length,
  );
  if (twice) return 'one thing is named twice';
  const place = emails?.findIndex((email) => !isEmail(email)) ?? -1;
  if (place >= 0) return `e-mail number ${place + 1} is no e-mail address`;
  return frequencyHours === undefined || isFrequency(frequencyHours)
    ? null
    : `expected ${shortestFrequencyHours} to ${longestFrequencyHours} whole hours`;
}

/** The shape alone: whether anybody reads it, only the service can find out. */
function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@,;<>"]+@[^\s@,;<>".]+(\.[^\s@,;<>".]+)+$/.test(text);
}

function isFrequency(hours: number): boolean {
  return (
    Number.isInteger(hours) && hours >= shortestFrequencyHours && hours <= longestFrequencyHours
  );
}

/** Fields of the service, by its words, with where we hold them. Its instants are left out. */
const fields: Readonly<Record<string, (monitor: Monitor) => FieldValue>> = {
  status: ({ statusWord }) => statusWord,
  identifier: ({ identifier }) => identifier,
  identifier_type: ({ identifierType }) => identifierType,
  name: ({ name }) => name,
  listen_items: (monitor) => monitor.listenItems,
  emails: ({ emails }) => emails,
  frequency_hours: ({ frequencyHours }) => frequencyHours,
  'health.status': ({ health }) => health?.status ?? null,
  'health.consecutive_failures': ({ health }) => health?.consecutiveFailures ?? null,
  'subscription.status': ({ subscription }) => subscription?.status ?? null,
  execution_allowed: ({ executionAllowed }) => executionAllowed,
  blocking_reason: ({ blockingReason }) => blockingReason,
};

/** What differs, in the order of the specification. The order of a list is no difference. */
export function monitorDifferences(before: Monitor, after: Monitor): MonitorDifference[] {
  return Object.entries(fields).flatMap(([field, of]) =>
    isAlike(of(before), of(after)) ? [] : [{ field, before: of(before), after: of(after) }],
  );
}

/** Fields that were asked for and that the answer has otherwise. */
export function notTaken(asked: MonitorUpdate, answered: Monitor): MonitorDifference[] {
  const wanted: Record<string, FieldValue | undefined> = {
    name: asked.name,
    listen_items: asked.listenItems,
    emails: asked.emails,
    frequency_hours: asked.frequencyHours,
  };
  return Object.entries(wanted).flatMap(([field, before]) => {
    const after = fields[field]?.(answered) ?? null;
    // A field that the answer does not tell says nothing about what was taken.
    if (before === undefined || after === null || isAlike(before, after)) return [];
    return [{ field, before, after }];
  });
}

function isAlike(a: FieldValue, b: FieldValue): boolean {
  if (!isList(a) || !isList(b)) return a === b;
  return a.length === b.length && a.every((word) => b.includes(word));
}

function isList(value: FieldValue): value is readonly string[] {
  return Array.isArray(value);
}

/** A person changes a monitor: on record before the service is asked. Values stay out of it. */
export function monitorUpdateEntry(
  monitorId: string,
  update: MonitorUpdate,
  by: string,
  now: number,
): AuditEntry {
  const happenedAt = new Date(now).toISOString();
  const work = `monitor/${monitorId}`;
  return {
    kind: 'decision',
    id: `decision/${work}/update/${happenedAt}`,
    result: 'update',
    by,
    happenedAt,
    work,
    details: {
      name: update.name !== undefined,
      listenItems: update.listenItems?.join(' ') ?? null,
      emails: update.emails?.length ?? null,
      frequencyHours: update.frequencyHours ?? null,
    },
  };
}
