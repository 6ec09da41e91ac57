/** `critical` first: the order of delivery. */
export const severities = ['critical', 'warn', 'info'] as const;
export type Severity = (typeof severities)[number];

export const changeStates = ['open', 'acknowledged'] as const;

/** `unknown`: a word that the specification does not list. */
export type ChangeState = (typeof changeStates)[number] | 'unknown';

export const listenItems = ['company', 'debts', 'processes', 'partners'] as const;
export type ListenItem = (typeof listenItems)[number];

/** Hours between two checks of the service. */
export const shortestFrequencyHours = 1;
export const longestFrequencyHours = 720;

/** One change, read tolerantly: only its id is required. */
export interface Change {
  changeId: string;
  state: ChangeState;
  statusWord: string | null;
  severity: Severity | 'unknown';
  severityWord: string | null;
  /** Its values are not documented: stored unchanged. */
  type: string | null;
  detectedAt: string | null;
  acknowledgedAt: string | null;
}

/** A monitor, read tolerantly: only its id is required. Null: not reported, or of another type. */
export interface Monitor {
  monitorId: string;
  statusWord: string | null;
  /** CPF or CNPJ: never to be logged in the clear. */
  identifier: string | null;
  name: string | null;
  listenItems: readonly string[] | null;
  emails: readonly string[] | null;
  frequencyHours: number | null;
  health: MonitorHealth | null;
  subscription: { status: string | null; id: string | null } | null;
  executionAllowed: boolean | null;
  /** `monitor_paused`, `monitor_cancelled`, `payment_required`, `feature_disabled`, or another. */
  blockingReason: string | null;
}

export interface MonitorHealth {
  status: string | null;
  consecutiveFailures: number | null;
  lastCycleAt: string | null;
}

export interface MonitorUpdate {
  name?: string;
  listenItems?: readonly ListenItem[];
  emails?: readonly string[];
  frequencyHours?: number;
}

/** An unknown state does not hide a change. */
export function isOpen({ state }: Pick<Change, 'state'>): boolean {
  return state !== 'acknowledged';
}

/** 0: most severe. An unknown severity may be severe: it comes right after `critical`. */
export function severityRank(severity: Change['severity']): number {
  return ['critical', 'unknown', 'warn', 'info'].indexOf(severity);
}

/** Sort order: most severe first, then by detection; without an instant last. */
export function bySeverity(
  a: Pick<Change, 'severity' | 'detectedAt'>,
  b: Pick<Change, 'severity' | 'detectedAt'>,
): number {
  return severityRank(a.severity) - severityRank(b.severity) || instantOf(a) - instantOf(b);
}

/** Beyond every Date, so that a difference stays a number. */
const noInstant = 9e15;

function instantOf({ detectedAt }: Pick<Change, 'detectedAt'>): number {
  const at = detectedAt === null ? Number.NaN : Date.parse(detectedAt);
  return Number.isNaN(at) ? noInstant : at;
}
