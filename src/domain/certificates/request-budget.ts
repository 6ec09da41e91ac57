import type { ReachedBudget } from '../core/budget';

/** Report of a lane to its batch; returns the unused part of its grant. */
export interface LaneReport {
  /** From 1. A report may be repeated, with the same answer. */
  number: number;
  /** Requests sent in all, and in flight. */
  made: number;
  /** Rows that wait for a larger grant; 0: none. */
  rows: number;
}

export interface LaneGrant {
  number: number;
  limit: number;
}

interface Account {
  /** Execution of the lane: one of the same id may have served an earlier batch. */
  execution: string;
  report: LaneReport;
  limit: number;
  isGranted: boolean;
  /** The answer must be sent, or sent again. */
  isPending: boolean;
  /** It has reported once that no row waits. */
  isIdle: boolean;
}

/**
 * Divides a batch's requests among its lanes before they claim: together they never send more. A lane gets a part of
 * the rest, so that the lanes run out at about the same time.
 */
export class RequestBudget {
  readonly #size: number;
  readonly #lanes: number;
  #allowed: number;
  readonly #accounts = new Map<string, Account>();

  /** @param size requests until a person must decide, and as many again after each `allowMore` */
  constructor(size: number, lanes: number) {
    this.#size = this.#allowed = size;
    this.#lanes = lanes;
  }

  report(lane: string, execution: string, report: LaneReport): void {
    const account = this.#accounts.get(lane);
    const known = account?.execution === execution ? account : undefined;
    if (known !== undefined && report.number <= known.report.number) {
      if (report.number === known.report.number) known.isPending = true;
      return;
    }
    const isIdle = report.rows === 0 || known?.isIdle === true;
    const limit = report.made;
    const answer = { isGranted: false, isPending: true };
    this.#accounts.set(lane, { execution, report, limit, isIdle, ...answer });
  }

  /** The lane has ended. @param made null: it failed, and its whole grant counts as sent */
  end(lane: string, made: number | null): void {
    const { execution = '', limit = 0 } = this.#accounts.get(lane) ?? {};
    const report = { number: Infinity, made: made ?? limit, rows: 0 };
    const answer = { isGranted: false, isPending: false };
    this.#accounts.set(lane, { execution, report, limit: report.made, isIdle: true, ...answer });
  }

  /** @returns the answers that can be sent now; a grant counts as spent until it is returned */
  grants(): [lane: string, grant: LaneGrant][] {
    const granted: [lane: string, grant: LaneGrant][] = [];
    for (const [lane, account] of this.#accounts) {
      if (isWaiting(account) && this.#left > 0) {
        const part = Math.min(account.report.rows, Math.ceil(this.#left / this.#lanes));
        // Rows to request again need one at a time: thousands must not cause a signal each.
        account.limit += Math.min(this.#left, Math.max(part, Math.ceil(this.#size / 1_000)));
        account.isGranted = true;
      }
      if (!account.isGranted || !account.isPending) continue;
      account.isPending = false;
      granted.push([lane, { number: account.report.number, limit: account.limit }]);
    }
    return granted;
  }

  /** Null: it may send more, or no row waits. */
  get reached(): ReachedBudget | null {
    const accounts = [...this.#accounts.values()];
    const waiting = accounts.filter(isWaiting);
    const quiet = accounts.filter((account) => account.isIdle || isWaiting(account)).length;
    if (this.#left > 0 || waiting.length === 0 || quiet < this.#lanes) return null;
    const rest = waiting.reduce((sum, { report }) => sum + report.rows, 0);
    return { made: this.#spent, allowed: this.#allowed, rest };
  }

  allowMore(): void {
    this.#allowed += this.#size;
  }

  get #left(): number {
    return this.#allowed - this.#spent;
  }

  /** Granted and not returned. */
  get #spent(): number {
    return [...this.#accounts.values()].reduce((sum, { limit }) => sum + limit, 0);
  }
}

function isWaiting({ isGranted, report }: Account): boolean {
  return report.rows > 0 && !isGranted;
}
