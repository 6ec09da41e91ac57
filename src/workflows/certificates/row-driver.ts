import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  TimeoutFailure,
  condition,
  log,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  AgainRow,
  RequestRow,
  RowAnswer,
  WatchAnswer,
} from '../../domain/certificates/certificate-rows';
import { certificatePace, watchBoundMs } from '../../domain/core/poll-timing';
import type { WaitReason } from '../../domain/attention';
import { jobOfList, type WorkRef } from '../../domain/certificates/work';
import type { CertificateActivities } from './activities';
import type { Control, IssuingTerms, RowsProgress, WaitingFor } from '../messages';
import { DeferredRows } from './deferred-rows';
import { OutstandingRows, type OutstandingRow } from './outstanding-rows';
import { RequestRuns, wasSent } from './request-runs';
import type { CarriedRows } from './row-state';
import { ServiceBreaker } from './service-breaker';
import { WaitingRows } from './waiting-rows';
import { Waits } from '../core/waits';

/** Sizes and bounds: decision records 002, 004 and 008 have their reasons. */
const limits = {
  /** Return after the first settlement: soon when rows wait for its place, later when none do. */
  watchLingerMs: 1_000,
  watchPlaceLingerMs: 120,
  /** Issuances a row may have in all when the service fails them as retryable. */
  attempts: 5,
  /** Decisions under `--on-unknown reissue`: the first and one more. */
  reissueAttempts: 2,
  turnedAway: 20,
} as const;

export interface DriveOptions {
  work: WorkRef;
  /** Places [from, to) of the work's list are this driver's. */
  from: number;
  to: number;
  terms: IssuingTerms;
  activities: CertificateActivities;
  /** This driver among those of the work: `lane-0000`. Outcomes are filed under it. */
  name: string;
  carried: CarriedRows;
  /** Events after which to hand over to a new run of the workflow; null for never. */
  eventsLimit: number | null;
}

/**
 * Brings a list of rows home: requests them in runs, keeps what is outstanding under shared
 * watches, and takes back what must go again. A lane drives thousands, a single issuance one.
 */
export class RowDriver {
  readonly #options: DriveOptions;
  readonly #state: CarriedRows;
  readonly #waiting: WaitingRows;
  readonly #outstanding: OutstandingRows;
  readonly #runs = new RequestRuns();
  readonly #breaker: ServiceBreaker;
  /** Names this execution: one of the same id that starts anew must not take its claims for its own. */
  readonly #execution = workflowInfo().firstExecutionRunId.slice(0, 8);
  #needsDecision: boolean;
  #leftBehind = false;
  #draining = false;
  readonly #waits: Waits;
  #timerAt = Infinity;
  #stirred = true;
  #fault: { error: unknown } | null = null;

  constructor(options: DriveOptions) {
    const { activities, carried, name, to, work } = options;
    this.#options = options;
    this.#waits = new Waits(jobOfList(work.folder));
    this.#state = carried;
    const lane = { work, lane: `${name}-${this.#execution}` };
    this.#waiting = new WaitingRows(
      carried,
      to,
      new DeferredRows(carried.deferred, lane, activities),
    );
    this.#outstanding = new OutstandingRows(carried.outstanding);
    this.#breaker = new ServiceBreaker(carried.turnedAwayRuns);
    this.#needsDecision = carried.again.some((row) => row.turnedAway >= limits.turnedAway);
  }

  /** Runs to the end, or to the point where a new run of the workflow should take over. */
  async drive(): Promise<'done' | 'continue'> {
    this.#wakeAt(this.#options.terms.requestUntil);
    for (;;) {
      this.#stirred = false;
      if (this.#fault !== null) throw this.#fault.error;
      if (this.#state.cancel === 'now') this.#leaveAtOnce();
      if (this.#mustHandOver()) this.#drain();
      const now = Date.now();
      if (!this.#mayRequest(now)) this.#wakeAt(this.#runs.cancelQueued(now));
      if (!this.#draining) this.#start();
      if (this.#isAtRest()) {
        if (this.#draining) {
          await this.#waits.settled();
          return 'continue';
        }
        if (!(await this.#takeLateReceipts())) {
          await this.#waiting.countTheRest(this.#state.counts);
          this.#waits.tell(null);
          return 'done';
        }
        continue;
      }
      this.#waits.tell(this.#neededFor());
      await condition(() => this.#stirred);
    }
  }

  control({ paused, cancel, share }: Control): void {
    if (paused !== undefined) this.#state.paused = paused;
    if (paused === false) {
      this.#needsDecision = false;
      this.#breaker.tryNow();
      this.#waiting.forgive();
    }
    if (cancel !== undefined && this.#state.cancel !== 'now') this.#state.cancel = cancel;
    if (share !== undefined) this.#state.share = share;
    this.#stir();
  }

  carried(): CarriedRows {
    return {
      ...this.#state,
      outstanding: this.#outstanding.tuples(),
      unknown: this.#waiting.unknownRows,
      turnedAwayRuns: this.#breaker.turnedAway,
    };
  }

  progress(): RowsProgress {
    const { from, to } = this.#options;
    const { counts, paused, cancel, share } = this.#state;
    const requesting = this.#runs.places();
    return {
      total: to - from,
      counts: { ...counts, unknown: counts.unknown + this.#waiting.unknown },
      // What stands beyond the share has settled: its watch has not told yet.
      outstanding: Math.min(this.#outstanding.size, Math.max(0, share - requesting)),
      requesting,
      again: this.#waiting.again,
      waiting: this.#waitingNow(),
      paused,
      cancelling: cancel !== null,
    };
  }

  /** All that can begin now. */
  #start(): void {
    const now = Date.now();
    const moved = this.#waiting.move(now, this.#mayRequest(now));
    if (moved !== null) this.#inBackground(moved);
    this.#startRuns();
    if (this.#state.cancel !== 'now') this.#startWatches();
  }

  /** What fails in it is a fault of ours. */
  #inBackground(work: Promise<void>): void {
    void work
      .catch((error: unknown) => {
        this.#fault = { error };
      })
      .finally(() => this.#stir());
  }

  // ---- requesting -------------------------------------------------------------------------

  #startRuns(): void {
    for (let size = this.#nextRunSize(); size > 0; size = this.#nextRunSize()) {
      const places = Math.min(size, Math.max(0, this.#places()));
      this.#inBackground(this.#run(this.#waiting.take(Date.now(), size), places));
    }
    this.#runs.dropFollowUps();
  }

  /** Rows of the run that may start now; 0 when none may. */
  #nextRunSize(): number {
    const now = Date.now();
    const { closedUntil, probing } = this.#breaker;
    if (!this.#mayRequest(now)) return 0;
    if (now < closedUntil) {
      this.#wakeAt(closedUntil);
      return 0;
    }
    return this.#runs.nextRows(this.#readyRows(now), this.#places(), {
      probing,
      watched: this.#outstanding.size > 0,
    });
  }

  #mayRequest(now: number): boolean {
    const { paused, cancel } = this.#state;
    return (
      !paused && cancel === null && !this.#needsDecision && now < this.#options.terms.requestUntil
    );
  }

  #readyRows(now: number): number {
    const ready = this.#waiting.ready(now);
    const { soonest } = this.#waiting;
    // Of those in the store that may go already, their way back tells.
    if (ready === 0 && soonest > now) this.#wakeAt(soonest);
    return ready;
  }

  /** One run: cancelled, it ends between rows, and the ids of accepted requests come back. */
  async #run(rows: AgainRow[], places: number): Promise<void> {
    const { activities, work, terms, name } = this.#options;
    const run = `${name}-${this.#execution}-${this.#state.runs}`;
    this.#state.runs += 1;
    const asked = rows.map((row): RequestRow => [row.place, row.attempts, row.mode]);
    const { interactive, requestUntil: sendBy, reuseSince } = terms;
    const input = { work, name, run, rows: asked, reuseSince, interactive };
    const startedAt = Date.now();
    const scope = new CancellationScope();
    this.#runs.start(run, { rows: asked, places, scope });
    try {
      let answers: RowAnswer[];
      let lost = false;
      try {
        answers = await scope.run(() =>
          activities.requestCertificates({ ...input, places, sendBy }),
        );
      } catch (error) {
        if (!(error instanceof ActivityFailure)) throw error;
        lost = !neverBegan(error);
        answers = lost
          ? await CancellationScope.nonCancellable(() => activities.recoverRequests(input))
          : asked.map(([place, attempts]) => unsentRow(place, attempts));
      }
      this.#takeAnswers(rows, answers, lost);
      this.#runs.learn(answers, places, Date.now() - startedAt);
    } finally {
      this.#runs.end(run);
    }
  }

  #takeAnswers(rows: AgainRow[], answers: RowAnswer[], lost: boolean): void {
    const now = Date.now();
    let sent = 0;
    let lostAnswers = 0;
    let shut: { reason: WaitingFor; until: number } | null = null;
    for (const [index, answer] of answers.entries()) {
      const row = rows[index];
      if (row === undefined) continue;
      if (wasSent(answer)) sent += 1;
      switch (answer.kind) {
        case 'accepted': {
          const { place, certidaoId, requestedAt, attempts, flags } = answer;
          const dueAt = Math.max(now, answer.dueAt ?? requestedAt + certificatePace.firstMs);
          this.#outstanding.add([place, certidaoId, requestedAt, dueAt, attempts, flags]);
          break;
        }
        case 'settled':
          this.#state.counts[answer.status] += 1;
          break;
        case 'unknown':
          this.#takeUnknown(answer.place, answer.attempts, answer.own);
          if (answer.own) lostAnswers += 1;
          break;
        case 'unsent':
          shut = this.#takeUnsent(row, answer) ?? shut;
      }
    }
    if (lost) shut ??= { reason: 'service', until: now };
    if (lostAnswers > 0 && this.#breaker.lostAnswer().isBad) {
      shut ??= { reason: 'service', until: now };
    }
    if (shut !== null) this.#breaker.shut(shut.reason, shut.until);
    else if (sent > 0 && lostAnswers === 0) this.#breaker.open();
  }

  /** @returns why nothing is requested for a while; null when there is no reason */
  #takeUnsent(
    row: AgainRow,
    { notBefore, reason }: Extract<RowAnswer, { kind: 'unsent' }>,
  ): { reason: WaitingFor; until: number } | null {
    const away = reason === 'not_sent' || reason === 'fault';
    // A store that is away says nothing about the row: it goes on by itself.
    const turnedAway = row.turnedAway + (away ? 1 : 0);
    if (turnedAway >= limits.turnedAway) this.#needsDecision = true;
    this.#waiting.goAgain({ ...row, notBefore, turnedAway });
    switch (reason) {
      case 'cancelled':
        this.#state.cancel ??= 'wait';
        return null;
      case 'not_sent':
        return { reason: 'service', until: notBefore };
      case 'credentials':
      case 'fault':
      case 'paused':
      case 'store':
        return { reason, until: notBefore };
      case 'no_place':
        return null;
      case 'in_flight':
      case 'no_permit':
      case 'no_time':
        this.#breaker.reason = reason === 'in_flight' ? 'another work' : 'rate limit';
        return null;
    }
  }

  #takeUnknown(place: number, attempts: number, own: boolean): void {
    const mayReissue = own && attempts < limits.reissueAttempts;
    if (this.#options.terms.onUnknown !== 'reissue' || !mayReissue) {
      this.#waiting.addUnknown(place, attempts);
      return;
    }
    const notBefore = Date.now() + 1_000;
    this.#waiting.goAgain({
      place,
      attempts,
      mode: 'reissue',
      notBefore,
      turnedAway: 0,
      was: 'unknown',
    });
  }

  // ---- watching ---------------------------------------------------------------------------

  #startWatches(): void {
    for (;;) {
      const next = this.#outstanding.next(Date.now(), this.#state.share);
      if ('at' in next) {
        this.#wakeAt(next.at);
        return;
      }
      if (next.rows.length === 0) return;
      this.#inBackground(this.#watch(next.rows));
    }
  }

  async #watch(rows: OutstandingRow[]): Promise<void> {
    const { activities, work, terms, name } = this.#options;
    const now = Date.now();
    const youngestAgeMs = Math.min(...rows.map((row) => now - row.tuple[2]));
    const placesWanted = this.#mayRequest(now) && this.#readyRows(now) > 0;
    const answer = await this.#outstanding.watch(rows, (tuples) =>
      activities.watchCertificates({
        work,
        name,
        rows: tuples,
        rowDeadlineMs: terms.rowDeadlineMs,
        boundMs: watchBoundMs(youngestAgeMs),
        reuseSince: terms.reuseSince,
        lingerMs: limits.watchLingerMs,
        placeLingerMs: placesWanted ? limits.watchPlaceLingerMs : limits.watchLingerMs,
        interactive: terms.interactive,
      }),
    );
    if (answer !== null) this.#takeWatched(answer);
  }

  #takeWatched(answer: WatchAnswer): void {
    for (const [run, places] of answer.handedOn) this.#runs.handOn(run, places);
    for (const row of this.#outstanding.take(answer, Date.now())) {
      const { attempts, notBefore, place, status } = row;
      if (status !== 'retryable') this.#state.counts[status] += 1;
      else if (attempts >= limits.attempts) this.#state.counts.failed += 1;
      else {
        const again = { place, attempts, notBefore, mode: 'normal', turnedAway: 0 } as const;
        this.#waiting.goAgain({ ...again, was: 'failed' });
      }
    }
    if (answer.trouble === 'credentials') this.#breaker.reason = 'credentials';
    else if (answer.settled.length > 0 && this.#breaker.reason === 'credentials') {
      this.#breaker.reason = null;
    }
  }

  // ---- ending -----------------------------------------------------------------------------

  #isAtRest(): boolean {
    if (this.#runs.size > 0 || this.#outstanding.watches > 0 || this.#waiting.moving) return false;
    if (this.#draining) return true;
    if (this.#outstanding.size > 0) return false;
    const isOver = this.#state.cancel !== null || Date.now() >= this.#options.terms.requestUntil;
    return isOver || (this.#waiting.haveAllGone && this.#waiting.again === 0);
  }

  #mustHandOver(): boolean {
    const { eventsLimit } = this.#options;
    if (eventsLimit === null || this.#draining) return false;
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    return continueAsNewSuggested || historyLength >= eventsLimit;
  }

  /** No more runs; watches hand back what they have. Seconds, never the issuances themselves. */
  #drain(): void {
    log.info('handing over to a new run', { outstanding: this.#outstanding.size });
    this.#draining = true;
    this.#outstanding.cancelWatches();
  }

  /** `cancel --now`: shuts the doors of the runs in flight and leaves what is outstanding. */
  #leaveAtOnce(): void {
    if (this.#leftBehind) return;
    this.#leftBehind = true;
    this.#outstanding.cancelWatches();
    this.#inBackground(CancellationScope.nonCancellable(() => this.#leave()));
  }

  async #leave(): Promise<void> {
    const { activities, work, terms, name } = this.#options;
    const { reuseSince, interactive } = terms;
    // Their answers come back by the runs themselves; this only keeps further rows at home.
    await Promise.all(
      this.#runs
        .rows()
        .map(([run, rows]) =>
          activities.recoverRequests({ work, name, run, rows, reuseSince, interactive }),
        ),
    );
    await condition(() => this.#runs.size === 0 && this.#outstanding.watches === 0);
    const rows = this.#outstanding.tuples();
    if (rows.length > 0) await activities.leaveOutstanding({ work, name, rows });
    this.#state.counts.cancelled += rows.length;
    this.#outstanding.clear();
  }

  /** @returns true when a receipt came late and there is more to do */
  async #takeLateReceipts(): Promise<boolean> {
    const { activities, work, terms, name } = this.#options;
    const { reuseSince, interactive } = terms;
    const run = `${name}-late`;
    const found = await this.#waiting.late(
      (rows) => activities.rereadReceipts({ work, name, run, rows, reuseSince, interactive }),
      this.#state.counts,
    );
    for (const answer of found) {
      const { place, attempts } = answer;
      const row = { place, attempts, mode: 'normal', notBefore: 0, turnedAway: 0 } as const;
      this.#takeAnswers([{ ...row, was: 'unknown' }], [answer], false);
    }
    // With `cancel --now` what came late is left like the rest.
    if (found.length > 0) this.#leftBehind = false;
    return found.length > 0;
  }

  // ---- small things -----------------------------------------------------------------------

  /**
   * Places free for sure: less than none while rows stand in places whose watch has not returned.
   * Only when a worker is lost, and with it what its watches had handed on, may a few rows too many be
   * outstanding.
   */
  #places(): number {
    return this.#state.share - this.#outstanding.size - this.#runs.places();
  }

  #waitingNow(): RowsProgress['waiting'] {
    if (this.#state.paused) return { reason: 'paused', until: null };
    if (this.#needsDecision) return { reason: 'decision', until: null };
    const { closedUntil, reason } = this.#breaker;
    const until = closedUntil > Date.now() ? closedUntil : null;
    if (reason !== null && (until !== null || reason === 'credentials')) return { reason, until };
    const { again, haveAllGone, soonest } = this.#waiting;
    const onlyAgain = haveAllGone && again > 0 && this.#outstanding.size === 0;
    return onlyAgain ? { reason: 'retry', until: soonest } : null;
  }

  /** Nothing goes on without one: a token that works, or the word to try again. */
  #neededFor(): WaitReason | null {
    const reason = this.#waitingNow()?.reason;
    return reason === 'credentials' || reason === 'decision' ? reason : null;
  }

  #stir(): void {
    this.#stirred = true;
  }

  /** One timer serves all waits: a later one is armed only when none fires before it. */
  #wakeAt(at: number): void {
    if (this.#timerAt <= at || !Number.isFinite(at)) return;
    this.#timerAt = at;
    const delay = Math.max(1, at - Date.now());
    void sleep(delay).then(() => {
      if (this.#timerAt === at) this.#timerAt = Infinity;
      this.#stir();
    });
  }
}

/** No worker had taken it when it was cancelled, or in half a minute: nothing of it was sent. */
function neverBegan({ cause }: ActivityFailure): boolean {
  if (cause instanceof CancelledFailure) return true;
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}

function unsentRow(place: number, attempts: number): RowAnswer {
  return { kind: 'unsent', place, attempts, reason: 'no_time', notBefore: 0 };
}
