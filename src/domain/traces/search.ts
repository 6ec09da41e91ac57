import { jobOutcomeEntry, jobRequestEntry, type AuditEntry } from '../core/audit';
import { fieldsOf } from '../core/findings';
import type { JobError, JobInput, OutcomeFields } from '../core/job-record';
import type { Receipt } from '../core/service/attempts';
import type { Billing } from '../core/service/billing-totals';
import type { TraceStatus } from './kinds';

export const traceStates = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type TraceState = (typeof traceStates)[number];

/** Types by which a list can be filtered. The service derives them from the target. */
export const traceTypes = ['email', 'phone', 'username', 'wallet'] as const;
export type TraceType = (typeof traceTypes)[number];

export const traceStrategies = ['all', 'first_match'] as const;
export type TraceStrategy = (typeof traceStrategies)[number];

export interface TraceRecord extends JobInput {
  /** Keyed name of target, strategy and rerun id: the same name is the same search. */
  name: string;
  /** Keyed name of the target alone. */
  targetName: string;
  target: string;
  strategy: TraceStrategy | null;
}

export type MadeTrace = Extract<Receipt, { kind: 'accepted' }> & {
  /** `list`: the repeated key was refused, and the search was found in the service's list. */
  reported: { foundBy: 'answer' | 'list' };
};

export interface TraceSeen {
  traceId: string;
  state: TraceState | 'unknown';
  statusWord: string | null;
  type: string | null;
  partial: boolean | null;
  /** Status word of each source; null: none was readable. */
  sources: Readonly<Record<string, string>> | null;
  artifacts: number;
  billing: Billing | null;
  sha256: string | null;
  failure: JobError | null;
}

export interface TraceOutcome extends OutcomeFields<TraceStatus> {
  seen: TraceSeen | null;
  /** Null: none was created, or it is unknown. */
  traceId: string | null;
}

export function isTraceSettled(state: TraceSeen['state']): boolean {
  return ['completed', 'failed', 'cancelled'].includes(state);
}

/** Idempotency key: the same for every send of a request until a person reissues it. @param reissued how often */
export function traceKey(name: string, reissued: number): string {
  return `diligence-trace-${name}${reissued === 0 ? '' : `-${reissued + 1}`}`;
}

/** Whether a new request would bring nothing new: the service answers a known key with its search. */
export function isFinalSearch({ status, seen }: TraceOutcome): boolean {
  if (status === 'completed' || status === 'failed') return true;
  return status === 'cancelled' && seen?.state === 'cancelled';
}

/** Identity of the purchase. @param rerun id of a deliberate new order; null: the first */
export function traceManifest(
  target: string,
  strategy: TraceStrategy | null,
  rerun: string | null,
): string {
  return JSON.stringify(['trace', target, strategy, rerun]);
}

/**
 * Status word of each source that has one: a map of words, or of objects with `status`. The specification
 * does not show the structure.
 */
export function sourcesOf(
  coverage: Readonly<Record<string, unknown>> | null,
): Record<string, string> | null {
  if (coverage === null) return null;
  const found: [string, string][] = [];
  for (const [name, value] of Object.entries(coverage)) {
    if (Array.isArray(value)) {
      for (const one of value) {
        const { source, name: called, id } = fieldsOf(one);
        const reported = [source, called, id].find((word) => typeof word === 'string');
        const word = wordOf(one);
        if (reported !== undefined && word !== null) found.push([reported, word]);
      }
    } else {
      const word = wordOf(value);
      if (word !== null) found.push([name, word]);
    }
  }
  return found.length === 0 ? null : Object.fromEntries(found.slice(0, mostSources));
}

/** Bounded, since it goes into histories and progress. */
const mostSources = 100;

function wordOf(value: unknown): string | null {
  if (typeof value === 'string') return value.slice(0, 60);
  const { status } = fieldsOf(value);
  return typeof status === 'string' ? status.slice(0, 60) : null;
}

/** The service created a search. A repetition with the same key is the same entry. */
export function traceRequestEntry(
  { externalId: traceId, at, reported: { foundBy } }: MadeTrace,
  record: TraceRecord,
): AuditEntry {
  const about = { subject: record.targetName, details: { traceId, foundBy } };
  return jobRequestEntry(`request/trace/${record.name}`, 'accepted', at, record, about);
}

export function traceOutcomeEntry(outcome: TraceOutcome, record: TraceRecord): AuditEntry {
  const { seen, traceId } = outcome;
  return jobOutcomeEntry(outcome, record, seen?.sha256 ?? null, {
    subject: record.targetName,
    details: {
      ...(traceId !== null && { traceId }),
      ...(seen?.partial != null && { partial: seen.partial }),
    },
  });
}
