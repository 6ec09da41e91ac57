import type { Logger } from 'pino';
import type { CallObserver } from '../apis/http/observer';
import type { AuditEntry } from '../domain/core/audit';
import type { StoreObserver } from '../store/store';

/** Events in a worker's log at its usual level: one line each, with fields. */
const levels = {
  'job started': 'info',
  'job ended': 'info',
  'job failed': 'error',
  'job paused': 'info',
  'job resumed': 'info',
  'job cancelled': 'info',
  'job resolved': 'info',
  'requests stopped': 'warn',
  'requests resumed': 'info',
  'outcome unknown': 'warn',
  'response lost': 'warn',
  throttled: 'warn',
  'throttled no more': 'info',
  'credentials refused': 'error',
  'credentials accepted again': 'info',
  'store away': 'error',
  'store back': 'info',
  'workflow stands still': 'error',
  'workflow goes on': 'info',
} as const;
export type Happening = keyof typeof levels;

/** Words, ids and numbers: never a document, a token or a URL. */
export type HappeningFields = Partial<
  Record<
    | 'job'
    | 'kind'
    | 'row'
    | 'service'
    | 'route'
    | 'status'
    | 'perSecond'
    | 'reason'
    | 'error'
    | 'code'
    | 'cause'
    | 'needsAttention'
    | 'isPart',
    string | number | boolean | null | undefined
  >
>;

/** Lanes of one job, and calls of one wave, see the same event at once: it is logged once. */
const sameWithinMs = 60_000;
const mostRemembered = 10_000;
/** A rate is tried above a refused one every minute: its refusals belong to the same wave. */
const calmAfterMs = 90_000;

/** Logs events of jobs, services and the store. */
export class Happenings {
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #saidAt = new Map<string, number>();

  constructor(log: Logger, now: () => number = Date.now) {
    this.#log = log;
    this.#now = now;
  }

  log(what: Happening, { isPart, ...fields }: HappeningFields = {}): void {
    const level = fields.needsAttention === true ? 'warn' : levels[what];
    const isOrder = what.startsWith('job ');
    if (!isOrder && this.#wasSaid(`${what} ${JSON.stringify(fields)}`)) return;
    if (what === 'requests resumed') this.#forget('requests stopped', fields.job);
    if (what === 'requests stopped') this.#forget('requests resumed', fields.job);
    // A batch has one line for its outcome, and one for each unknown row.
    this.#log[isPart === true && isOrder ? 'debug' : level](fields, what);
  }

  /** Other warnings: many rows may cause one at once. */
  warn(message: string, about: Record<string, string | number | null> = {}): void {
    if (!this.#wasSaid(`${message} ${JSON.stringify(about)}`)) this.#log.warn(about, message);
  }

  /** From a workflow, through the log of the SDK: false for other lines. */
  reportOfWorkflow(meta: Record<string, unknown>): boolean {
    const { event, job, kind, status, reason, error, needsAttention, isPart } = meta;
    if (typeof event !== 'string' || !(event in levels)) return false;
    const fields = { job, kind, status, reason, error, needsAttention, isPart };
    this.log(event as Happening, fields as HappeningFields);
    return true;
  }

  readonly store: StoreObserver = {
    committed: (entries) => entries.forEach((entry) => this.#tellOfEntry(entry)),
    away: (code) => {
      this.#forget('store back');
      this.log('store away', { code });
    },
    back: () => {
      this.#forget('store away');
      this.log('store back');
    },
  };

  /** Logs waves, and passes the calls to the metrics. */
  callsOf(service: string, metrics: CallObserver): CallObserver {
    let isRefused = false;
    let throttledAt = -Infinity;
    let isThrottled = false;
    return {
      ...metrics,
      callEnded: (report) => {
        metrics.callEnded(report);
        const { pathTemplate: route, status, credentialsRefused } = report;
        const perSecond = Math.round(report.perSecond * 10) / 10;
        const now = this.#now();
        if (status === 429) {
          if (!isThrottled) this.log('throttled', { service, route, status, perSecond });
          isThrottled = true;
          throttledAt = now;
          return;
        }
        if (isThrottled && status !== null && now - throttledAt > calmAfterMs) {
          isThrottled = false;
          this.log('throttled no more', { service, perSecond });
        }
        if (credentialsRefused) {
          if (!isRefused) this.log('credentials refused', { service, route, status });
          isRefused = true;
        } else if (isRefused && status !== null && status < 300) {
          isRefused = false;
          this.#forget('credentials refused');
          this.#forget('credentials accepted again');
          this.log('credentials accepted again', { service });
        }
      },
    };
  }

  #tellOfEntry({ kind, id, result, job, item }: AuditEntry): void {
    const fields = { job, row: item };
    if (kind === 'outcome' && (result === 'unknown_outcome' || result === 'unreadable'))
      this.log('outcome unknown', { ...fields, status: result });
    // Other requests are covered by the outcome.
    else if (kind === 'request' && result === 'unknown' && id.startsWith('request/dossier/'))
      this.log('response lost', fields);
  }

  #wasSaid(line: string): boolean {
    const now = this.#now();
    const before = this.#saidAt.get(line);
    if (before !== undefined && now - before < sameWithinMs) return true;
    this.#saidAt.delete(line);
    this.#saidAt.set(line, now);
    const [oldest] = this.#saidAt.keys();
    if (this.#saidAt.size > mostRemembered && oldest !== undefined) this.#saidAt.delete(oldest);
    return false;
  }

  #forget(what: Happening, job?: HappeningFields['job']): void {
    for (const line of this.#saidAt.keys())
      if (line.startsWith(`${what} {`) && (job == null || line.includes(`"job":"${String(job)}"`)))
        this.#saidAt.delete(line);
  }
}
