import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import {
  polledRow,
  shortRunId,
  type AgainRow,
  type RequestRow,
  type RowAnswer,
} from '../../../domain/certificates/certificate-rows';
import { backoffMs } from '../../../domain/core/service/poll-timing';
import type { RowsProgress, WaitingFor } from '../../messages';
import type { DrivenRows } from './driven-rows';
import type { SettledRow } from './outstanding-rows';
import type { RequestAllowance } from './request-allowance';
import { noChunk, type NextChunk } from './request-chunks';

/** Bounds: see decision records 002, 004 and 008. */
const limits = {
  /** Attempts under `--on-unknown reissue`: the first and one more. */
  reissueAttempts: 2,
  /** Issuances of one row in all when the service fails them as retryable. */
  issuances: 5,
  throttled: 20,
  /** A longer wait before a repetition is shown though other rows are outstanding. */
  briefRetryMs: 60_000,
} as const;

/** Requests the rows of a driver in chunks, and takes the answers. */
export class RowRequests {
  readonly #rows: DrivenRows;
  readonly #allowance: RequestAllowance;
  /** Names this execution: a restarted one of the same id must not take its claims for its own. */
  readonly #execution = shortRunId(workflowInfo().firstExecutionRunId);
  /** Rows were throttled too often: a person decides when they are tried again. */
  #needsDecision: boolean;
  #isReading = false;

  constructor(rows: DrivenRows, allowance: RequestAllowance) {
    this.#rows = rows;
    this.#allowance = allowance;
    this.#needsDecision = rows.state.again.some((row) => row.throttled >= limits.throttled);
  }

  tryAgain(): void {
    this.#needsDecision = false;
    this.#rows.breaker.tryNow();
    this.#rows.waiting.retryAll();
  }

  /** Starts all chunks that can start now. */
  start(): void {
    for (let next = this.#next(); next.rows > 0; next = this.#next()) {
      const isProbe = this.#rows.breaker.probe !== null;
      const rows = this.#rows.waiting.take(Date.now(), next.rows, isProbe);
      this.#allowance.take(rows.length);
      this.#rows.wakes.inBackground(this.#run(rows, next.slots));
    }
    this.#allowance.giveBackOnce();
  }

  #next(): NextChunk {
    const now = Date.now();
    const { closedUntil, probe } = this.#rows.breaker;
    if (!this.mayRequest(now)) return noChunk;
    if (now < closedUntil) {
      this.#rows.wakes.at(closedUntil);
      return noChunk;
    }
    const ready = this.#allowance.limit(this.readyRows(now));
    if (probe === 'read') {
      if (ready > 0 && this.#rows.chunks.size === 0) this.#probeService();
      return noChunk;
    }
    return this.#rows.chunks.next(ready, this.#freeSlots(), {
      probing: probe === 'row',
      polled: this.#rows.outstanding.size > 0,
    });
  }

  /** A free read, before anything that is charged is tried again. */
  #probeService(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    const { activities } = this.#rows.options;
    const reading = activities.proveAccess().then((access) => {
      this.#isReading = false;
      if (access === 'credentials') this.#rows.breaker.shut('credentials', 0);
      else this.#rows.breaker.read(access === 'ok');
    });
    this.#rows.wakes.inBackground(reading);
  }

  mayRequest(now: number): boolean {
    const { paused, cancel, held } = this.#rows.state;
    return (
      !paused &&
      !held &&
      cancel === null &&
      !this.#needsDecision &&
      now < this.#rows.options.terms.requestUntil
    );
  }

  /** Rows that may be requested now. */
  readyRows(now: number): number {
    const ready = this.#rows.waiting.ready(now);
    const { soonest } = this.#rows.waiting;
    // Due rows in the store wake it when they are read back.
    if (ready === 0 && soonest > now) this.#rows.wakes.at(soonest);
    return ready;
  }

  /** One chunk: cancelled, it ends between rows and returns the accepted ids. */
  async #run(rows: AgainRow[], slots: number): Promise<void> {
    const { activities, list, terms, name } = this.#rows.options;
    const chunk = `${name}-${this.#execution}-${this.#rows.state.chunks}`;
    this.#rows.state.chunks += 1;
    const requested = rows.map((row): RequestRow => [row.rowIndex, row.attempts, row.mode]);
    const { interactive, requestUntil: sendBy, reuseSince } = terms;
    const input = { list, name, chunk, rows: requested, reuseSince, interactive };
    const startedAt = Date.now();
    const scope = new CancellationScope();
    this.#rows.chunks.start(chunk, { rows: requested, slots, scope });
    try {
      let answers: RowAnswer[];
      try {
        answers = await scope.run(() =>
          activities.requestCertificates({ ...input, slots, sendBy }),
        );
      } catch (error) {
        if (!(error instanceof ActivityFailure)) throw error;
        answers = neverStarted(error)
          ? requested.map(([rowIndex, attempts]) => unsentRow(rowIndex, attempts))
          : await CancellationScope.nonCancellable(() => activities.recoverRequests(input));
      }
      this.#allowance.settle(rows, answers);
      this.takeAnswers(rows, answers);
      this.#rows.chunks.learn(answers, slots, Date.now() - startedAt);
    } finally {
      this.#rows.chunks.end(chunk);
      // It has ended: until it is cancelled, the workflow keeps it with the arguments of its activity.
      scope.cancel();
    }
  }

  takeAnswers(rows: AgainRow[], answers: RowAnswer[]): void {
    const now = Date.now();
    const { breaker } = this.#rows;
    let shut: { reason: WaitingFor; until: number } | null = null;
    for (const [index, answer] of answers.entries()) {
      const row = rows[index];
      if (row === undefined) continue;
      const isFailed = failed(answer);
      const requested = answer.kind === 'unsent' ? answer.notBefore : 0;
      if (isFailed !== null) breaker.requested(isFailed, requested);
      switch (answer.kind) {
        case 'accepted': {
          const outstanding = polledRow(answer, now);
          const settled = this.#rows.outstanding.add(outstanding, now, answer.polledBy);
          if (settled !== null) this.settle(settled);
          break;
        }
        case 'settled':
          this.#rows.state.counts[answer.status] += 1;
          break;
        case 'unknown':
          this.#takeUnknown(answer.rowIndex, answer.attempts, answer.own);
          break;
        case 'unsent':
          shut = this.#takeUnsent(row, answer) ?? shut;
      }
    }
    if (shut !== null) breaker.shut(shut.reason, shut.until);
  }

  /** A poll found it settled. */
  settle({ attempts, notBefore, rowIndex, status }: SettledRow): void {
    if (status !== 'retryable') this.#rows.state.counts[status] += 1;
    else if (attempts >= limits.issuances) this.#rows.state.counts.failed += 1;
    else {
      const again = { rowIndex, attempts, notBefore, mode: 'normal', throttled: 0 } as const;
      this.#rows.waiting.goAgain({ ...again, was: 'failed' });
    }
  }

  /** @returns why requests pause; null when they do not */
  #takeUnsent(
    row: AgainRow,
    { notBefore, reason }: Extract<RowAnswer, { kind: 'unsent' }>,
  ): { reason: WaitingFor; until: number } | null {
    const away = reason === 'not_sent' || reason === 'fault';
    // An unavailable store says nothing about the row.
    const throttled = row.throttled + (away ? 1 : 0);
    if (throttled >= limits.throttled) this.#needsDecision = true;
    const earliest = away ? Date.now() + backoffMs(throttled, Math.random()) : 0;
    this.#rows.waiting.goAgain({ ...row, notBefore: Math.max(notBefore, earliest), throttled });
    switch (reason) {
      case 'cancelled':
        this.#rows.state.cancel ??= 'wait';
        return null;
      case 'neighbour':
      case 'not_sent':
        return null;
      case 'credentials':
      case 'fault':
      case 'paused':
      case 'store':
        return { reason, until: notBefore };
      case 'no_slot':
        return null;
      case 'in_flight':
      case 'no_permit':
      case 'no_time':
        this.#rows.breaker.reason = reason === 'in_flight' ? 'another job' : 'rate limit';
        return null;
    }
  }

  #takeUnknown(rowIndex: number, attempts: number, own: boolean): void {
    const mayReissue = own && attempts < limits.reissueAttempts;
    if (this.#rows.options.terms.onUnknown !== 'reissue' || !mayReissue) {
      this.#rows.waiting.addUnknown(rowIndex, attempts);
      if (own) this.countLost();
      return;
    }
    const notBefore = Date.now() + 1_000;
    this.#rows.waiting.goAgain({
      rowIndex,
      attempts,
      mode: 'reissue',
      notBefore,
      throttled: 0,
      was: 'unknown',
    });
  }

  /** A row whose outcome the service does not show: too many of them hold the batch. */
  countLost(): void {
    this.#rows.state.lost += 1;
    const report = this.#rows.options.onLost?.(this.#rows.state.lost);
    if (report !== undefined) this.#rows.wakes.inBackground(report);
  }

  /**
   * Slots that are free for certain: negative while settled rows hold slots whose poll has not returned.
   * Only when a worker is lost, with the slots that its polls had freed, may a few rows too many be
   * outstanding.
   */
  #freeSlots(): number {
    const { chunks, outstanding, state } = this.#rows;
    // Of a row that settled before its chunk returned, the slot is free, or counts with the chunk that took it.
    const held = Math.max(0, chunks.slots() - outstanding.early);
    return state.share - outstanding.size - held;
  }

  /** What blocks their requests. */
  waitsFor(): RowsProgress['waiting'] {
    if (this.#rows.state.paused) return { reason: 'paused', until: null };
    if (this.#rows.state.held) return { reason: 'unknown', until: null };
    if (this.#needsDecision) return { reason: 'decision', until: null };
    const { closedUntil, reason } = this.#rows.breaker;
    const until = closedUntil > Date.now() ? closedUntil : null;
    if (reason !== null && (until !== null || reason === 'credentials')) return { reason, until };
    const { again, haveAllGone, soonest } = this.#rows.waiting;
    const isLong = soonest > Date.now() + limits.briefRetryMs || this.#rows.outstanding.size === 0;
    const onlyAgain = haveAllGone && again > 0 && isLong;
    return onlyAgain ? { reason: 'retry', until: soonest } : null;
  }
}

/** Whether a request failed: its response is lost, or it was throttled. Null: none was sent, or not by us. */
function failed(answer: RowAnswer): boolean | null {
  switch (answer.kind) {
    case 'accepted':
    case 'settled':
      return false;
    case 'unknown':
      return answer.own ? true : null;
    case 'unsent':
      return answer.reason === 'not_sent' ? true : null;
  }
}

/** No worker had taken it when it was cancelled, or within half a minute: nothing was sent. */
function neverStarted({ cause }: ActivityFailure): boolean {
  if (cause instanceof CancelledFailure) return true;
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}

function unsentRow(rowIndex: number, attempts: number): RowAnswer {
  return { kind: 'unsent', rowIndex, attempts, reason: 'no_time', notBefore: 0 };
}
