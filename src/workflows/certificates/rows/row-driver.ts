import { CancellationScope, condition, log, workflowInfo } from '@temporalio/workflow';
import { shortRunId } from '../../../domain/certificates/certificate-rows';
import { jobOfList } from '../../../domain/certificates/job';
import type { WaitReason } from '../../../domain/attention';
import { Waits } from '../../core/waits';
import type { Control, RowsProgress } from '../../messages';
import { DeferredRows } from './deferred-rows';
import { Wakes, type DrivenRows, type DriveOptions } from './driven-rows';
import { OutstandingRows } from './outstanding-rows';
import { RequestAllowance } from './request-allowance';
import { RequestChunks } from './request-chunks';
import { RowPolls } from './row-polls';
import { RowRequests } from './row-requests';
import type { CarriedRows } from './row-state';
import { ServiceBreaker } from './service-breaker';
import { WaitingRows } from './waiting-rows';

/**
 * Drives a list of rows to their outcomes: requests them in chunks, polls what is outstanding, and
 * requests again what failed. A lane drives thousands of rows, a single issuance one.
 */
export class RowDriver {
  readonly #rows: DrivenRows;
  readonly #allowance: RequestAllowance;
  readonly #requests: RowRequests;
  readonly #polls: RowPolls;
  readonly #waits: Waits;
  #leftBehind = false;
  #draining = false;

  constructor(options: DriveOptions) {
    const { activities, carried, name, to, list } = options;
    this.#waits = new Waits(jobOfList(list.folder));
    const lane = `${name}-${shortRunId(workflowInfo().firstExecutionRunId)}`;
    const deferred = new DeferredRows(carried.deferred, { list, lane }, activities);
    this.#rows = {
      options,
      state: carried,
      waiting: new WaitingRows(carried, to, deferred),
      outstanding: new OutstandingRows(carried.outstanding),
      chunks: new RequestChunks(),
      breaker: new ServiceBreaker(carried.throttledChunks),
      wakes: new Wakes(),
    };
    this.#allowance = new RequestAllowance(this.#rows);
    this.#requests = new RowRequests(this.#rows, this.#allowance);
    this.#polls = new RowPolls(this.#rows, this.#requests);
  }

  /** Returns at the end, or when the workflow should continue as new. */
  async drive(): Promise<'done' | 'continue'> {
    this.#rows.wakes.at(this.#rows.options.terms.requestUntil);
    for (;;) {
      this.#rows.wakes.begin();
      if (this.#rows.state.cancel === 'now') this.#leaveAtOnce();
      if (this.#mustHandOver()) this.#drain();
      const now = Date.now();
      if (!this.#requests.mayRequest(now)) this.#rows.wakes.at(this.#rows.chunks.cancelQueued(now));
      if (!this.#draining) this.#start();
      if (this.#isAtRest()) {
        if (this.#draining) {
          await this.#waits.settled();
          return 'continue';
        }
        if (!(await this.#takeLateReceipts())) {
          await this.#rows.waiting.countTheRest(this.#rows.state.counts);
          this.#waits.report(null);
          return 'done';
        }
        continue;
      }
      this.#waits.report(this.#neededFor());
      await this.#rows.wakes.next();
    }
  }

  control({ granted, paused, cancel, held, share }: Control): void {
    if (granted !== undefined) this.#allowance.grant(granted);
    if (paused !== undefined) this.#rows.state.paused = paused;
    if (paused === false) this.#requests.tryAgain();
    if (cancel !== undefined && this.#rows.state.cancel !== 'now') this.#rows.state.cancel = cancel;
    if (held !== undefined) this.#rows.state.held = held;
    if (share !== undefined) this.#rows.state.share = share;
    this.#rows.wakes.stir();
  }

  carried(): CarriedRows {
    return {
      ...this.#rows.state,
      outstanding: this.#rows.outstanding.tuples(),
      unknown: this.#rows.waiting.unknownRows,
      throttledChunks: this.#rows.breaker.waits,
    };
  }

  progress(): RowsProgress {
    const { from, to } = this.#rows.options;
    const { counts, paused, cancel, share } = this.#rows.state;
    const requesting = this.#rows.chunks.slots();
    return {
      total: to - from,
      counts: { ...counts, unknown: counts.unknown + this.#rows.waiting.unknown },
      // Rows above the share have settled: their poll has not returned yet.
      outstanding: Math.min(this.#rows.outstanding.size, Math.max(0, share - requesting)),
      requesting,
      again: this.#rows.waiting.settledOnce,
      waiting: this.#requests.waitsFor(),
      paused,
      cancelling: cancel !== null,
    };
  }

  /** Starts all that can start now. */
  #start(): void {
    const now = Date.now();
    const moved = this.#rows.waiting.move(now, this.#requests.mayRequest(now));
    if (moved !== null) this.#rows.wakes.inBackground(moved);
    this.#requests.start();
    if (this.#rows.state.cancel !== 'now' && this.#polls.start()) {
      this.#rows.chunks.expectSlots();
      this.#requests.start();
    }
  }

  #isAtRest(): boolean {
    if (this.#rows.chunks.size > 0 || this.#rows.outstanding.polls > 0 || this.#rows.waiting.moving)
      return false;
    if (this.#draining) return true;
    if (this.#rows.outstanding.size > 0) return false;
    const isOver =
      this.#rows.state.cancel !== null || Date.now() >= this.#rows.options.terms.requestUntil;
    return isOver || (this.#rows.waiting.haveAllGone && this.#rows.waiting.again === 0);
  }

  #mustHandOver(): boolean {
    const { eventsLimit } = this.#rows.options;
    if (eventsLimit === null || this.#draining) return false;
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    return continueAsNewSuggested || historyLength >= eventsLimit;
  }

  /** Starts no more chunks; polls return what they have. Takes seconds, not the time of the issuances. */
  #drain(): void {
    log.info('continuing as new', { outstanding: this.#rows.outstanding.size });
    this.#draining = true;
    this.#rows.outstanding.cancelPolls();
  }

  /** `cancel --now`: closes the rows not yet claimed and leaves what is outstanding. */
  #leaveAtOnce(): void {
    if (this.#leftBehind) return;
    this.#leftBehind = true;
    this.#rows.outstanding.cancelPolls();
    this.#rows.wakes.inBackground(CancellationScope.nonCancellable(() => this.#leave()));
  }

  async #leave(): Promise<void> {
    const { activities, list, terms, name } = this.#rows.options;
    const { reuseSince, interactive } = terms;
    // The chunks return their own answers; this only prevents further claims.
    await Promise.all(
      this.#rows.chunks
        .rows()
        .map(([chunk, rows]) =>
          activities.recoverRequests({ list, name, chunk, rows, reuseSince, interactive }),
        ),
    );
    await condition(() => this.#rows.chunks.size === 0 && this.#rows.outstanding.polls === 0);
    const rows = this.#rows.outstanding.tuples();
    if (rows.length > 0) await activities.leaveOutstanding({ list, name, rows });
    this.#rows.state.counts.cancelled += rows.length;
    this.#rows.outstanding.clear();
  }

  /** @returns true when a late receipt leaves more to do */
  async #takeLateReceipts(): Promise<boolean> {
    const { activities, list, terms, name } = this.#rows.options;
    const { reuseSince, interactive } = terms;
    const chunk = `${name}-late`;
    const found = await this.#rows.waiting.late(
      (rows) => activities.rereadReceipts({ list, name, chunk, rows, reuseSince, interactive }),
      this.#rows.state.counts,
    );
    for (const answer of found) {
      const { rowIndex, attempts } = answer;
      const row = { rowIndex, attempts, mode: 'normal', notBefore: 0, throttled: 0 } as const;
      this.#requests.takeAnswers([{ ...row, was: 'unknown' }], [answer]);
    }
    // With `cancel --now` late receipts are left like the rest.
    if (found.length > 0) this.#leftBehind = false;
    return found.length > 0;
  }

  /** What a person must provide before it resumes: a working token, or the order to try again. */
  #neededFor(): WaitReason | null {
    const reason = this.#requests.waitsFor()?.reason;
    return reason === 'credentials' || reason === 'decision' ? reason : null;
  }
}
