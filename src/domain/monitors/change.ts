/** Monitors and the changes that they detect, in our words. */

/** `critical` first: the order in which changes are told. */
export const severities = ['critical', 'warn', 'info'] as const;
export type Severity = (typeof severities)[number];

/** States of a change by which a list can be filtered. */
export const changeStates = ['open', 'acknowledged'] as const;

/** `unknown`: a word that the specification does not list. */
export type ChangeState = (typeof changeStates)[number] | 'unknown';

/** What a monitor can be told to look at. */
export const listenItems = ['company', 'debts', 'processes', 'partners'] as const;
export type ListenItem = (typeof listenItems)[number];

/** Hours between two looks of the service. */
export const shortestFrequencyHours = 1;
export const longestFrequencyHours = 720;

/** One change, read tolerantly: only its id is relied on. */
export interface Change {
  changeId: string;
  state: ChangeState;
  /** The service's own word; null when it sent none. */
  statusWord: string | null;
  severity: Severity | 'unknown';
  severityWord: string | null;
  /** Its value set is not shown: kept as it came. */
  type: string | null;
  /** ISO 8601 instants as told. */
  detectedAt: string | null;
  acknowledgedAt: string | null;
}

export type MonitorState = 'active' | 'paused' | 'cancelled' | 'unknown';

/** A monitor, read tolerantly: only its id is relied on. Null: not told, or of another type. */
export interface Monitor {
  monitorId: string;
  state: MonitorState;
  statusWord: string | null;
  /** CPF or CNPJ: never to be logged in the clear. */
  identifier: string | null;
  identifierType: string | null;
  name: string | null;
  listenItems: readonly string[] | null;
  emails: readonly string[] | null;
  frequencyHours: number | null;
  health: MonitorHealth | null;
  subscription: { status: string | null; id: string | null } | null;
  executionAllowed: boolean | null;
  /** `monitor_paused`, `monitor_cancelled`, `payment_required`, `feature_disabled`, or another. */
  blockingReason: string | null;
  createdAt: string | null;
  updatedAt: string | null;
}

export interface MonitorHealth {
  status: string | null;
  consecutiveFailures: number | null;
  lastCycleAt: string | null;
}

/** Fields of a monitor that a person may change; those left out keep their value. */
export interface MonitorUpdate {
  name?: string;
  listenItems?: readonly ListenItem[];
  emails?: readonly string[];
  frequencyHours?: number;
}

/** Open until told otherwise: a state that we do not know does not hide a change. */
export function isOpen({ state }: Pick<Change, 'state'>): boolean {
  return state !== 'acknowledged';
}

/** 0 for the gravest. An unknown severity may be grave: it stands right behind `critical`. */
export function severityRank(severity: Change['severity']): number {
  return ['critical', 'unknown', 'warn', 'info'].indexOf(severity);
}

/** For sorting: gravest first, then in order of detection; without an instant last. */
export function bySeverity(
  a: Pick<Change, 'severity' | 'detectedAt'>,
  b: Pick<Change, 'severity' | 'detectedAt'>,
): number {
  return severityRank(a.severity) - severityRank(b.severity) || instantOf(a) - instantOf(b);
}

/** Beyond every instant that a Date can hold, so that a difference stays a number. */
const noInstant = 9e15;

function instantOf({ detectedAt }: Pick<Change, 'detectedAt'>): number {
  const at = detectedAt === null ? Number.NaN : Date.parse(detectedAt);
  return Number.isNaN(at) ? noInstant : at;
}
