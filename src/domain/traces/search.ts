import type { Receipt } from '../core/service/attempts';
import type { Billing } from '../core/service/billing';
import type { Trace, TraceStrategy } from './trace';

/** One search, as it was asked for: the input of the job in `traces/<name>/<instant>`. */
export interface TraceRecord {
  /** `trace/<name>/<instant>`. */
  jobId: string;
  /** Keyed name of target and strategy, and of the order: the same name is the same search. */
  name: string;
  /** Keyed name of the target alone. */
  targetName: string;
  /** Personal data, as it is sent. */
  target: string;
  strategy: TraceStrategy | null;
  label: string | null;
  /** Ordered anew on purpose. */
  rerun?: boolean;
  /** Milliseconds from its start to its outcome; of a batch: as the batch has it. */
  deadlineMs?: number;
  createdAt: string;
  createdBy: string;
}

/** What workflow and activities hand each other about a search: nobody's data. */
export interface TraceRef {
  jobId: string;
  folder: string;
}

/** The search that the service has made for us. */
export type MadeTrace = Extract<Receipt, { kind: 'accepted' }> & {
  /** `list`: the repeated key was refused, and the search was found on the list. */
  reported: { foundBy: 'answer' | 'list' };
};

export const traceStatuses = [
  'completed',
  'failed',
  /** By the service, or the person no longer waits. */
  'cancelled',
  'refused',
  'expired',
  /** A request may have arrived, and nobody knows which search it made. */
  'unknown_outcome',
] as const;
export type TraceStatus = (typeof traceStatuses)[number];

/** What was seen of the search when it settled, or last. */
export interface TraceSeen {
  traceId: string;
  state: Trace['state'];
  /** The service's own word. */
  statusWord: string | null;
  type: string | null;
  partial: boolean | null;
  /** Sources by the word of their situation; null: nothing readable was told. */
  sources: Readonly<Record<string, string>> | null;
  artifacts: number;
  billing: Billing | null;
  /** Of `answer.json`; null when it is not on file. */
  sha256: string | null;
  failure: { code: string | null; message: string } | null;
}

/** How a search ended: the outcome of its job, and the result of its workflow. */
export interface TraceOutcome {
  jobId: string;
  status: TraceStatus;
  seen: TraceSeen | null;
  /** Known as soon as the service told it; null: nothing was made, or nobody knows. */
  traceId: string | null;
  error: { code: string | null; message: string } | null;
  startedAt: string;
  settledAt: string;
  /** What the service told was here, and was erased. */
  erased?: true;
}

export function isTraceSettled(state: TraceSeen['state']): boolean {
  return ['completed', 'failed', 'cancelled'].includes(state);
}

export function traceWorkflowId(name: string): string {
  return `trace/${name}`;
}

export function traceFolder(jobId: string): string {
  return jobId.replace(/^trace\//, 'traces/');
}

/** The same for every send of one ask, until a person has it made anew. @param reissued how often */
export function traceKey(name: string, reissued: number): string {
  return `diligence-trace-${name}${reissued === 0 ? '' : `-${reissued + 1}`}`;
}

/** Whether asking again would bring nothing else: the service answers a known key with its search. */
export function isFinalSearch({ status, seen }: TraceOutcome): boolean {
  if (status === 'completed' || status === 'failed') return true;
  return status === 'cancelled' && seen?.state === 'cancelled';
}

/** What is bought: the same is the same search. @param rerun another order of it, on purpose; null: the first */
export function traceManifest(
  target: string,
  strategy: TraceStrategy | null,
  rerun: string | null,
): string {
  return JSON.stringify(['trace', target, strategy, rerun]);
}

/**
 * Each source with the word of its situation, where one is told: a map of words, or of objects with
 * `status`; the structure is not shown by the specification.
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

/** It goes into histories and progress: a service that tells a book is cut short. */
const mostSources = 100;

function wordOf(value: unknown): string | null {
  if (typeof value === 'string') return value.slice(0, 60);
  const { status } = fieldsOf(value);
  return typeof status === 'string' ? status.slice(0, 60) : null;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
