import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  TimeoutFailure,
  condition,
  isCancellation,
  log,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  AgainRow,
  RequestRow,
  RowAnswer,
  WatchAnswer,
  WatchTuple,
} from '../../domain/certificates/certificate-rows';
import { backoffMs, certificatePace, watchBoundMs } from '../../domain/core/poll-timing';
import type { WorkRef } from '../../domain/certificates/work';
import type { CertificateActivities } from './activities';
import type { Control, IssuingTerms, RowsProgress, WaitingFor } from '../messages';
import { RequestRuns, wasSent } from './request-runs';
import type { CarriedRows } from './row-state';
import { DeferredRows } from './deferred-rows';
import { tellAttention } from '../core/search-attributes';

/** Sizes and bounds: decision records 002, 004 and 008 have their reasons. */
const limits = {
  watchRows: 250,
  /** Return after the first settlement: soon when rows wait for its place, later when none do. */
  watchLingerMs: 1_000,
  watchPlaceLingerMs: 120,
  /** A new row waits for company until it is nearly due: fewer watches, and larger ones. */
  dueSoonMs: 150,
  freshForMs: 10_000,
  /** Issuances a row may have in all when the service fails them as retryable. */
  attempts: 5,
  /** Decisions under `--on-unknown reissue`: the first and one more. */
  reissueAttempts: 2,
  turnedAway: 20,
  /** Rows that go again, and unknown ones, beyond which some go into the store. */
  carried: 1_000,
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

interface Outstanding {
  tuple: WatchTuple;
  watched: boolean;
  /** Has been under a watch before. */
  known: boolean;
}

interface Watch {
  scope: CancellationScope;
}

/**
 * Brings a list of rows home: requests them in runs, keeps what is outstanding under shared
 * watches, and takes back what must go again. A lane drives thousands, a single issuance one.
 */
export class RowDriver {
  readonly #options: DriveOptions;
  readonly #state: CarriedRows;
  readonly #outstanding = new Map<number, Outstanding>();
  readonly #unknown: Map<number, number>;
  readonly #watches = new Set<Watch>();
  readonly #runs = new RequestRuns();
  /** Of runs in flight. */
  readonly #scopes = new Set<CancellationScope>();
  readonly #deferred: DeferredRows;
  #closedUntil = 0;
  #probing = false;
  #needsDecision = false;
  #waiting: WaitingFor | null = null;
  #reread = false;
  #leftBehind = false;
  #draining = false;
  #timerAt = Infinity;
  #stirred = true;
  #fault: { error: unknown } | null = null;

  constructor(options: DriveOptions) {
    this.#options = options;
    this.#state = options.carried;
    for (const tuple of options.carried.outstanding) {
      this.#outstanding.set(tuple[0], { tuple, watched: false, known: false });
    }
    this.#unknown = new Map(options.carried.unknown);
    const { work, name, activities } = options;
    const lane = `${name}-${workflowInfo().firstExecutionRunId.slice(0, 8)}`;
    this.#deferred = new DeferredRows(options.carried.deferred, { work, lane }, activities);
    const { again, turnedAwayRuns } = options.carried;
    this.#probing = turnedAwayRuns > 0;
    this.#needsDecision = again.some((row) => row.turnedAway >= limits.turnedAway);
  }

  /** Runs to the end, or to the point where a new run of the workflow should take over. */
  async drive(): Promise<'done' | 'continue'> {
    this.#wakeAt(this.#options.terms.requestUntil);
    for (;;) {
      this.#stirred = false;
      if (this.#fault !== null) throw this.#fault.error;
      if (this.#state.cancel === 'now') this.#leaveAtOnce();
      if (this.#mustHandOver()) this.#drain();
      if (!this.#mayRequest(Date.now())) for (const scope of this.#scopes) scope.cancel();
      if (!this.#draining && !this.#deferred.moving) this.#startDeferring();
      if (!this.#draining) this.#startRuns();
      if (!this.#draining && this.#state.cancel !== 'now') this.#startWatches();
      if (this.#isAtRest()) {
        if (this.#draining) return 'continue';
        if (!(await this.#takeLateReceipts())) {
          this.#countTheRest();
          await this.#deferred.drop();
          tellAttention(false);
          return 'done';
        }
        continue;
      }
      tellAttention(this.#needsAttention());
      await condition(() => this.#stirred);
    }
  }

  control({ paused, cancel, share }: Control): void {
    if (paused !== undefined) {
      this.#state.paused = paused;
      if (!paused) {
        this.#needsDecision = false;
        this.#closedUntil = 0;
        this.#state.again = this.#state.again.map((row) => ({ ...row, turnedAway: 0 }));
      }
    }
    if (cancel !== undefined && this.#state.cancel !== 'now') this.#state.cancel = cancel;
    if (share !== undefined) this.#state.share = share;
    this.#stir();
  }

  carried(): CarriedRows {
    return {
      ...this.#state,
      outstanding: [...this.#outstanding.values()].map(({ tuple }) => tuple),
      unknown: [...this.#unknown],
    };
  }

  progress(): RowsProgress {
    const { from, to } = this.#options;
    const { counts, again, paused, cancel, share } = this.#state;
    const requesting = this.#runs.places();
    return {
      total: to - from,
      counts: {
        ...counts,
        unknown: counts.unknown + this.#unknown.size + this.#deferred.unknown,
      },
      // What stands beyond the share has settled: its watch has not told yet.
      outstanding: Math.min(this.#outstanding.size, Math.max(0, share - requesting)),
      requesting,
      again: again.length + this.#deferred.again,
      waiting: this.#waitingNow(),
      paused,
      cancelling: cancel !== null,
    };
  }

  // ---- requesting -------------------------------------------------------------------------

  #startRuns(): void {
    for (let size = this.#nextRunSize(); size > 0; size = this.#nextRunSize()) {
      const places = Math.min(size, Math.max(0, this.#places()));
      void this.#run(this.#takeCandidates(size), places);
    }
    this.#runs.dropFollowUps();
  }

  /** Rows of the run that may start now; 0 when none may. */
  #nextRunSize(): number {
    const now = Date.now();
    if (!this.#mayRequest(now)) return 0;
    if (now < this.#closedUntil) {
      this.#wakeAt(this.#closedUntil);
      return 0;
    }
    return this.#runs.nextRows(this.#readyRows(now), this.#places(), {
      probing: this.#probing,
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
    let ready = this.#options.to - this.#state.next;
    let soonest = Infinity;
    for (const row of this.#state.again) {
      if (row.notBefore <= now) ready += 1;
      else soonest = Math.min(soonest, row.notBefore);
    }
    soonest = Math.min(soonest, this.#deferred.soonest);
    if (ready === 0 && soonest < Infinity) this.#wakeAt(soonest);
    return ready;
  }

  #takeCandidates(size: number): AgainRow[] {
    const now = Date.now();
    const taken: AgainRow[] = [];
    const kept: AgainRow[] = [];
    for (const row of this.#state.again) {
      (taken.length < size && row.notBefore <= now ? taken : kept).push(row);
    }
    this.#state.again = kept;
    while (taken.length < size && this.#state.next < this.#options.to) {
      const place = this.#state.next;
      this.#state.next += 1;
      const fresh = { attempts: 0, mode: 'normal', notBefore: 0, turnedAway: 0 } as const;
      taken.push({ place, ...fresh, was: 'new' });
    }
    return taken;
  }

  /** One run: cancelled, it ends between rows, and the ids of accepted requests come back. */
  async #run(rows: AgainRow[], places: number): Promise<void> {
    const { activities, work, terms, name } = this.#options;
    // A run of the same id started anew must not take its forerunner's claims for its own.
    const run = `${name}-${workflowInfo().firstExecutionRunId.slice(0, 8)}-${this.#state.runs}`;
    this.#state.runs += 1;
    const asked = rows.map((row): RequestRow => [row.place, row.attempts, row.mode]);
    const { reuseSince, interactive } = terms;
    const input = { work, name, run, rows: asked, reuseSince, interactive };
    const startedAt = Date.now();
    const scope = new CancellationScope();
    this.#scopes.add(scope);
    this.#runs.start(run, asked, places);
    try {
      let answers: RowAnswer[];
      let lost = false;
      try {
        const sendBy = terms.requestUntil;
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
    } catch (error) {
      this.#fault = { error };
    } finally {
      this.#runs.end(run);
      this.#scopes.delete(scope);
      this.#stir();
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
          const tuple: WatchTuple = [place, certidaoId, requestedAt, dueAt, attempts, flags];
          this.#outstanding.set(place, { tuple, watched: false, known: false });
          break;
        }
        case 'settled':
          this.#state.counts[answer.status] += 1;
          break;
        case 'unknown':
          this.#takeUnknown(answer.place, answer.attempts, answer.own);
          if (answer.own) lostAnswers += 1;
          break;
        case 'unsent': {
          const { reason, notBefore } = answer;
          const away = reason === 'not_sent' || reason === 'fault';
          // A store that is away says nothing about the row: it goes on by itself.
          const turnedAway = row.turnedAway + (away ? 1 : 0);
          if (turnedAway >= limits.turnedAway) this.#needsDecision = true;
          this.#state.again.push({ ...row, notBefore, turnedAway });
          if (reason === 'cancelled') this.#state.cancel ??= 'wait';
          else if (reason === 'paused') shut = { reason, until: notBefore };
          else if (reason === 'credentials') shut = { reason: 'credentials', until: notBefore };
          else if (away || reason === 'store')
            shut = { reason: reason === 'not_sent' ? 'service' : reason, until: notBefore };
          else if (reason !== 'no_place')
            this.#waiting = reason === 'in_flight' ? 'another work' : 'rate limit';
        }
      }
    }
    if (lost) shut ??= { reason: 'service', until: now };
    if (lostAnswers > 0) {
      // One lost answer makes the next run a probe; another in a row means that the way is bad.
      if (this.#probing) shut ??= { reason: 'service', until: now };
      this.#probing = true;
    }
    if (shut !== null) this.#shutFor(shut.reason, shut.until);
    else if (sent > lostAnswers && lostAnswers === 0) this.#reopen();
  }

  #takeUnknown(place: number, attempts: number, own: boolean): void {
    this.#reread = false;
    const mayReissue = own && attempts < limits.reissueAttempts;
    if (this.#options.terms.onUnknown === 'reissue' && mayReissue) {
      const notBefore = Date.now() + 1_000;
      const again = { place, attempts, mode: 'reissue', notBefore, turnedAway: 0 } as const;
      this.#state.again.push({ ...again, was: 'unknown' });
    } else {
      this.#unknown.set(place, attempts);
    }
  }

  /** Turned away: wait, doubling, then try with a run of one. */
  #shutFor(reason: WaitingFor, until: number): void {
    this.#state.turnedAwayRuns += 1;
    this.#probing = true;
    this.#waiting = reason;
    const wait = backoffMs(this.#state.turnedAwayRuns, Math.random());
    this.#closedUntil = Math.max(this.#closedUntil, until, Date.now() + wait);
  }

  #reopen(): void {
    this.#state.turnedAwayRuns = 0;
    this.#probing = false;
    this.#waiting = null;
  }

  // ---- watching ---------------------------------------------------------------------------

  #startWatches(): void {
    for (;;) {
      const rows = this.#nextWatchRows();
      if (rows.length === 0) return;
      void this.#watch(rows);
    }
  }

  /** One slot is kept for fresh rows, so that slow ones never keep them unwatched. */
  #nextWatchRows(): Outstanding[] {
    const slots = Math.max(3, Math.ceil(this.#state.share / limits.watchRows) + 1);
    const free = slots - this.#watches.size;
    if (free <= 0) return [];
    const now = Date.now();
    const unwatched = [...this.#outstanding.values()].filter((row) => !row.watched);
    const isFresh = (row: Outstanding): boolean => now - row.tuple[2] < limits.freshForMs;
    if (free === 1 && !unwatched.some(isFresh)) return [];
    const dueAt = Math.min(...unwatched.map((row) => (row.known ? now : row.tuple[3])));
    if (dueAt > now + limits.dueSoonMs) {
      this.#wakeAt(dueAt - limits.dueSoonMs);
      return [];
    }
    const byDue = (a: Outstanding, b: Outstanding): number => a.tuple[3] - b.tuple[3];
    return unwatched
      .sort((a, b) => Number(isFresh(b)) - Number(isFresh(a)) || byDue(a, b))
      .slice(0, limits.watchRows);
  }

  async #watch(rows: Outstanding[]): Promise<void> {
    const { activities, work, terms, name } = this.#options;
    for (const row of rows) row.watched = row.known = true;
    const watch: Watch = { scope: new CancellationScope() };
    this.#watches.add(watch);
    const now = Date.now();
    const youngestAgeMs = Math.min(...rows.map((row) => now - row.tuple[2]));
    const placesWanted = this.#mayRequest(now) && this.#readyRows(now) > 0;
    const input = {
      work,
      name,
      rows: rows.map((row) => row.tuple),
      rowDeadlineMs: terms.rowDeadlineMs,
      boundMs: watchBoundMs(youngestAgeMs),
      reuseSince: terms.reuseSince,
      lingerMs: limits.watchLingerMs,
      placeLingerMs: placesWanted ? limits.watchPlaceLingerMs : limits.watchLingerMs,
      interactive: terms.interactive,
    };
    try {
      const answer = await watch.scope.run(() => activities.watchCertificates(input));
      this.#takeWatched(answer);
    } catch (error) {
      // Cancelled between two attempts, or lost while being cancelled: the rows stay outstanding.
      if (!isCancellation(error) && !watch.scope.consideredCancelled) this.#fault = { error };
    } finally {
      for (const row of rows) row.watched = false;
      this.#watches.delete(watch);
      this.#stir();
    }
  }

  #takeWatched(answer: WatchAnswer): void {
    for (const [place, dueAt] of answer.due) {
      const row = this.#outstanding.get(place);
      if (row !== undefined) row.tuple[3] = dueAt;
    }
    for (const [run, places] of answer.handedOn) this.#runs.handOn(run, places);
    for (const settled of answer.settled) {
      const [place, status] = settled;
      const row = this.#outstanding.get(place);
      if (row === undefined) continue;
      this.#outstanding.delete(place);
      if (status !== 'retryable') {
        this.#state.counts[status] += 1;
        continue;
      }
      const attempts = row.tuple[4];
      if (attempts >= limits.attempts) {
        this.#state.counts.failed += 1;
      } else {
        const notBefore = settled[2] ?? Date.now();
        const again = { place, attempts, mode: 'normal', notBefore, turnedAway: 0 } as const;
        this.#state.again.push({ ...again, was: 'failed' });
      }
    }
    if (answer.trouble === 'credentials') this.#waiting = 'credentials';
    else if (answer.settled.length > 0 && this.#waiting === 'credentials') this.#waiting = null;
  }

  // ---- ending -----------------------------------------------------------------------------

  #isAtRest(): boolean {
    if (this.#runs.size > 0 || this.#watches.size > 0 || this.#deferred.moving) return false;
    if (this.#draining) return true;
    if (this.#outstanding.size > 0) return false;
    const { cancel, next, again } = this.#state;
    const isOver = cancel !== null || Date.now() >= this.#options.terms.requestUntil;
    return isOver || (next >= this.#options.to && again.length + this.#deferred.again === 0);
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
    for (const watch of this.#watches) watch.scope.cancel();
  }

  /** `cancel --now`: shuts the doors of the runs in flight and leaves what is outstanding. */
  #leaveAtOnce(): void {
    if (this.#leftBehind) return;
    this.#leftBehind = true;
    for (const watch of this.#watches) watch.scope.cancel();
    void this.#leave().catch((error: unknown) => {
      this.#fault = { error };
      this.#stir();
    });
  }

  async #leave(): Promise<void> {
    const { activities, work, terms, name } = this.#options;
    const { reuseSince, interactive } = terms;
    const runs = this.#runs.rows();
    await CancellationScope.nonCancellable(async () => {
      // Their answers come back by the runs themselves; this only keeps further rows at home.
      await Promise.all(
        runs.map(([run, rows]) =>
          activities.recoverRequests({ work, name, run, rows, reuseSince, interactive }),
        ),
      );
      await condition(() => this.#runs.size === 0 && this.#watches.size === 0);
      const rows = [...this.#outstanding.values()].map(({ tuple }) => tuple);
      if (rows.length > 0) await activities.leaveOutstanding({ work, name, rows });
      this.#state.counts.cancelled += rows.length;
      this.#outstanding.clear();
    });
    this.#stir();
  }

  /** @returns true when a receipt came late and there is more to do */
  async #takeLateReceipts(): Promise<boolean> {
    for (;;) {
      if (!this.#reread && (await this.#rereadReceipts())) return true;
      if (this.#deferred.unknown === 0) return false;
      // These stay as they are, and those in the store have their turn.
      this.#state.counts.unknown += this.#unknown.size;
      this.#unknown.clear();
      for (const [place, attempts] of await this.#deferred.takeUnknown()) {
        this.#unknown.set(place, attempts);
      }
      this.#reread = false;
    }
  }

  async #rereadReceipts(): Promise<boolean> {
    this.#reread = true;
    const { activities, work, terms, name } = this.#options;
    const { reuseSince, interactive } = terms;
    const places = [...this.#unknown];
    let found = false;
    for (let start = 0; start < places.length; start += limits.watchRows) {
      const rows = places
        .slice(start, start + limits.watchRows)
        .map(([place, attempts]): RequestRow => [place, attempts, 'normal']);
      const input = { work, name, run: `${name}-late`, rows, reuseSince, interactive };
      const answers = await activities.rereadReceipts(input);
      for (const answer of answers) {
        if (answer.kind === 'unknown') continue;
        found = true;
        const { place, attempts } = answer;
        this.#unknown.delete(place);
        const row = { place, attempts, mode: 'normal', notBefore: 0, turnedAway: 0 } as const;
        this.#takeAnswers([{ ...row, was: 'unknown' }], [answer], false);
      }
    }
    // With `cancel --now` what came late is left like the rest.
    if (found) this.#leftBehind = false;
    return found;
  }

  // ---- deferring --------------------------------------------------------------------------

  #startDeferring(): void {
    const work = this.#nextDeferring();
    if (work === null) return;
    void work
      .catch((error: unknown) => {
        this.#fault = { error };
      })
      .finally(() => this.#stir());
  }

  /** Rows into the store where there are too many, and back where there is room and it is their time. */
  #nextDeferring(): Promise<void> | null {
    const { again } = this.#state;
    const now = Date.now();
    if (again.length > limits.carried) return this.#deferAgain();
    if (this.#unknown.size > limits.carried) return this.#deferUnknown();
    const isDue = this.#mayRequest(now) && this.#deferred.soonest <= now;
    return isDue && again.length < limits.carried / 2 ? this.#takeDeferred(now) : null;
  }

  /** Those that go last. */
  #deferAgain(): Promise<void> {
    const ordered = this.#state.again.toSorted((a, b) => a.notBefore - b.notBefore);
    const later = ordered.splice(-limits.carried / 2);
    this.#state.again = ordered;
    return this.#deferred.putAgain(later);
  }

  #deferUnknown(): Promise<void> {
    const some = [...this.#unknown].slice(0, limits.carried / 2);
    for (const [place] of some) this.#unknown.delete(place);
    return this.#deferred.putUnknown(some);
  }

  async #takeDeferred(now: number): Promise<void> {
    const rows = await this.#deferred.takeAgain(now);
    this.#state.again.push(...rows);
  }

  /** Rows that were never sent become `cancelled`; the others keep what stands on file. */
  #countTheRest(): void {
    const { counts, again, next } = this.#state;
    counts.cancelled += this.#options.to - next;
    this.#state.next = this.#options.to;
    for (const row of again) counts[row.was === 'new' ? 'cancelled' : row.was] += 1;
    this.#state.again = [];
    const deferred = this.#deferred.giveUp();
    counts.cancelled += deferred.new;
    counts.failed += deferred.failed;
    counts.unknown += deferred.unknown;
    counts.unknown += this.#unknown.size;
    this.#unknown.clear();
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
    const until = this.#closedUntil > Date.now() ? this.#closedUntil : null;
    if (this.#waiting !== null && (until !== null || this.#waiting === 'credentials')) {
      return { reason: this.#waiting, until };
    }
    const { again, next } = this.#state;
    const waiting = again.length + this.#deferred.again;
    const onlyAgain = next >= this.#options.to && waiting > 0 && this.#outstanding.size === 0;
    if (!onlyAgain) return null;
    const soonest = Math.min(this.#deferred.soonest, ...again.map((row) => row.notBefore));
    return { reason: 'retry', until: soonest };
  }

  /** Nothing goes on without one: a token that works, or the word to try again. */
  #needsAttention(): boolean {
    const reason = this.#waitingNow()?.reason;
    return reason === 'credentials' || reason === 'decision';
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
