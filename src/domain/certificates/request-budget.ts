import type { ReachedBudget } from '../core/budget';

/** What a lane tells its batch. What it had been granted and has not used is given back with it. */
export interface LaneReport {
  /** From 1. The same report may be told again, and is answered as before. */
  number: number;
  /** Requests that it has made in all, and those in flight. */
  made: number;
  /** Rows that wait for more; 0: none at present. */
  rows: number;
}

/** The answer to a report with rows that wait. */
export interface LaneGrant {
  /** Of the report. */
  number: number;
  /** Requests that the lane may make in all. */
  limit: number;
}

interface Account {
  /** Of the lane: one of the same id may have been at work for a batch before this one. */
  execution: string;
  report: LaneReport;
  limit: number;
  isGranted: boolean;
  /** The answer is to be sent, or sent again. */
  isPending: boolean;
  /** It has said once that no row of it waits. */
  isIdle: boolean;
}

/**
 * Divides the requests that a batch may make among its lanes, before they claim: together they never make more.
 * A lane gets a part of what is left, so that the lanes run out at about the same time.
 */
export class RequestBudget {
  readonly #size: number;
  readonly #lanes: number;
  #allowed: number;
  readonly #accounts = new Map<string, Account>();

  /** @param size requests until a person must look, and as many again after each `allowMore` */
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

  /** The lane has ended. @param made null: it failed, and all that it was granted counts as made */
  end(lane: string, made: number | null): void {
    const { execution = '', limit = 0 } = this.#accounts.get(lane) ?? {};
    const report = { number: Infinity, made: made ?? limit, rows: 0 };
    const answer = { isGranted: false, isPending: false };
    this.#accounts.set(lane, { execution, report, limit: report.made, isIdle: true, ...answer });
  }

  /** @returns the answers that can be given now; what they allow is spent until it is given back */
  grants(): [lane: string, grant: LaneGrant][] {
    const granted: [lane: string, grant: LaneGrant][] = [];
    for (const [lane, account] of this.#accounts) {
      if (isWaiting(account) && this.#left > 0) {
        const part = Math.min(account.report.rows, Math.ceil(this.#left / this.#lanes));
        // Rows that are to be requested again need one at a time: not each of thousands is a signal.
        account.limit += Math.min(this.#left, Math.max(part, Math.ceil(this.#size / 1_000)));
        account.isGranted = true;
      }
      if (!account.isGranted || !account.isPending) continue;
      account.isPending = false;
      granted.push([lane, { number: account.report.number, limit: account.limit }]);
    }
    return granted;
  }

  /** Null: it may make more, or no row waits. */
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

  /** What was granted and not given back. */
  get #spent(): number {
    return [...this.#accounts.values()].reduce((sum, { limit }) => sum + limit, 0);
  }
}

function isWaiting({ isGranted, report }: Account): boolean {
  return report.rows > 0 && !isGranted;
}
