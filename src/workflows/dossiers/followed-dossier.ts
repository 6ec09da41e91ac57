import {
  CancellationScope,
  condition,
  isCancellation,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import { refuseOrder } from '../core/cancel-order';
import { orderAnswer } from '../../domain/order-answers';
import {
  isReported,
  statusOf,
  type AttemptSeen,
  type DossierReport,
  type DossierSight,
  type ReviewDecision,
} from '../../domain/dossiers/follow';
import type { DossierStatus } from '../../domain/dossiers/kinds';
import {
  attemptAfter,
  acceptedByPolicy,
  failedAs,
  notCancelled,
  notShown,
  retryStep,
  whyNoRetry,
  whyNotDecided,
  type Retried,
} from '../../domain/dossiers/retry';
import { unsettled, type Job } from '../core/run-job';
import type { FollowDossierInput } from '../inputs';
import { decideDossierUpdate, type WaitingFor } from '../messages';
import type { dossierActivities } from './activities';

/** A cancellation should show within this time; later, it needs a person. */
const cancelMs = 600_000;
/** Time for the files of a settled dossier, regardless of the deadline. */
const reportMs = 3_600_000;

interface Ending {
  status: DossierStatus;
  /** Settled at the service: if another attempt starts before its report is fetched, that is followed too. */
  byItself?: true;
  error?: { code: string | null; message: string } | null;
}

interface Decided {
  given: ReviewDecision;
  /** The attempt that the decision concerns; later ones are not affected. */
  about: DossierSight;
}

type Calls = ReturnType<typeof dossierActivities>;

/** A dossier with its retries and reviews. */
export class FollowedDossier {
  readonly #job: Job;
  readonly #input: FollowDossierInput;
  readonly #calls: Calls;
  readonly #attempts = new Map<number, AttemptSeen>();
  #maxAttempts: number;
  #sight: DossierSight | null = null;
  /** Reads that show an earlier attempt are outdated. */
  #expected: { atLeast: number | null; startedAt: number | null } = {
    atLeast: null,
    startedAt: null,
  };
  #retries = 0;
  #decided: Decided | null = null;
  #review: ReviewDecision | null = null;

  constructor(job: Job, input: FollowDossierInput, calls: Calls) {
    this.#job = job;
    this.#input = input;
    this.#calls = calls;
    this.#maxAttempts = input.maxAttempts;
    setHandler(
      decideDossierUpdate,
      (given) => {
        this.#decided = { given, about: this.#sight as DossierSight };
        return orderAnswer(given.action === 'accept' ? 'accepted' : 'retrying');
      },
      {
        validator: (given) => {
          const why = whyNotDecided(given, {
            inReview: job.progress.stage === 'review',
            decided: this.#decided !== null,
            attempt: this.#sight?.attempt?.number ?? null,
          });
          if (why !== null) refuseOrder(why);
        },
      },
    );
  }

  /** A dossier whose next attempt started before its report was fetched is followed on. */
  async toItsEnd() {
    for (;;) {
      const ending = await this.#job.cancellable<Ending>(
        () => this.#toSomeEnd(),
        () => (this.#job.order?.remote === true ? this.#cancelRemote() : { status: 'cancelled' }),
      );
      const ended = this.#sight;
      const report = await this.#report();
      const resumes = ending.byItself === true && report?.movedOn === true;
      if (!resumes) return this.outcomeOf(ending, report, ended);
      this.#expect(attemptAfter(ended, report.sight) ?? this.#expected.atLeast);
    }
  }

  /** @param ended as observed before its report was fetched */
  outcomeOf(ending: Ending, report: DossierReport | null, ended: DossierSight | null) {
    const isMissing = report === null && isReported(ended?.state ?? 'unknown');
    const sight = this.#sight;
    return {
      status: ending.status,
      remote: sight?.statusWord ?? null,
      mode: sight?.mode ?? null,
      stale: sight?.stale ?? null,
      coverage: sight?.coverage ?? null,
      attempts: this.#attemptsInOrder(),
      risk: report?.risk ?? null,
      stored: report?.stored ?? [],
      notStored: report?.notStored ?? [],
      review: this.#review,
      note: isMissing ? 'its report could not be fetched in time' : (report?.note ?? null),
      error: ending.error ?? null,
    };
  }

  async #toSomeEnd(): Promise<Ending> {
    if (this.#input.toCancel) return this.#cancelRemote();
    for (;;) {
      this.#stage = 'following';
      const ending = (await this.#follow(false)) ?? (await this.#onSettled());
      if (ending !== null) return ending;
    }
  }

  /** Null: it has settled, or needs a review. */
  async #follow(inReview: boolean): Promise<Ending | null> {
    const { deadlineAt, ref } = this.#input;
    const expected = { ...this.#expected, inReview };
    const end = await this.#job.poll<DossierSight>(
      (request) => this.#calls.polling(request).awaitDossier({ ...request, ref, ...expected }),
      {
        deadlineAt,
        since: this.#job.progress.startedAt,
        seen: this.#job.progress.details.state ?? null,
        onChange: (_status, sight) => {
          this.#note(sight);
          return inReview ? this.#showReview() : undefined;
        },
      },
    );
    if (end.kind === 'refused') return unsettled(end, 'it');
    this.#note(end.value);
    if (end.kind === 'settled') return null;
    const undecided = inReview && this.#sight?.state === 'needs_review';
    return { ...unsettled(end, 'it'), status: undecided ? 'needs_review' : 'expired' };
  }

  /** Null: it resumes. */
  async #onSettled(): Promise<Ending | null> {
    const sight = this.#sight as DossierSight;
    const { deadlineAt, atOnce } = this.#input;
    const { atLeast } = this.#expected;
    const number = sight.attempt?.number ?? null;
    if (atLeast !== null && number !== null && number < atLeast) {
      return { status: 'expired', error: notShown };
    }
    if (sight.state === 'completed') return { status: 'completed', byItself: true };
    if (sight.state === 'cancelled') return { status: 'cancelled' };
    if (sight.state === 'needs_review') return this.#onReview(sight);
    const step = retryStep(sight, {
      requested: this.#retries,
      leftMs: deadlineAt - Date.now(),
      maxAttempts: this.#maxAttempts,
      random: Math.random(),
    });
    if (step.kind === 'stop') return failedAs(sight, step.reason, whyNoRetry[step.reason]);
    this.#stage = 'waiting to retry';
    // No delay for a failure that is long past.
    await sleep(atOnce && this.#retries === 0 ? 1_000 : step.waitMs);
    return this.#retry(step.from);
  }

  async #retry(from: number): Promise<Ending | null> {
    const { deadlineAt, ref } = this.#input;
    this.#stage = 'retrying';
    const requested = (this.#retries += 1);
    const end = await this.#job.poll<Retried>(
      (request) =>
        this.#calls.requesting(request).retryDossier({ ...request, ref, from, requested }),
      { deadlineAt, seen: 'retrying' },
    );
    if (end.kind === 'expired') return unsettled(end, 'it');
    const answer = end.kind === 'refused' ? end : end.value;
    if (answer.kind === 'refused' || answer.kind === 'unknown') {
      const { code, message } = answer;
      return { status: 'failed', error: { code, message } };
    }
    if (answer.kind === 'started') this.#expect(answer.attempt);
    return null;
  }

  async #onReview(sight: DossierSight): Promise<Ending | null> {
    const { onReview } = this.#input;
    if (onReview === 'leave') return { status: 'needs_review' };
    if (onReview === 'fail') {
      return failedAs(sight, 'needs_review', 'it needs a review (--on-review fail)');
    }
    if (onReview === 'accept') {
      this.#review = acceptedByPolicy(Date.now());
      return { status: 'completed' };
    }
    this.#decided = null;
    this.#job.waitFor(this.#showReview() ?? null);
    const watching = new CancellationScope();
    const moved = watching.run(() => this.#follow(true)).catch(nullWhenCancelled);
    await Promise.race([moved, condition(() => this.#decided !== null)]);
    watching.cancel();
    const ending = await moved;
    this.#job.waitFor(null);
    const decided = this.#decided as Decided | null;
    return decided === null ? ending : this.#carryOut(decided);
  }

  async #carryOut({ about, given }: Decided): Promise<Ending | null> {
    this.#review = given;
    if (given.action === 'accept') return { status: 'completed' };
    const from = about.attempt?.number ?? 1;
    // The decision allows one more attempt.
    this.#maxAttempts = Math.max(this.#maxAttempts, from + 1);
    return this.#retry(from);
  }

  async #cancelRemote(): Promise<Ending> {
    const { ref } = this.#input;
    this.#stage = 'cancelling';
    const end = await this.#job.poll(
      (request) => this.#calls.polling(request).cancelDossier({ ...request, ref }),
      { deadlineAt: Date.now() + cancelMs, seen: 'cancelling' },
    );
    if (end.kind === 'refused') return unsettled(end, 'it');
    if (end.value !== null) this.#note(end.value.sight);
    if (end.kind === 'expired') return { status: 'expired', error: notCancelled };
    if (end.value.kind === 'refused') {
      const { code, message } = end.value;
      return { status: 'refused', error: { code, message } };
    }
    const { sight } = end.value;
    if (sight.state === 'completed' || sight.state === 'cancelled') return { status: sight.state };
    return failedAs(sight, 'failed', 'it had failed');
  }

  /** Null: not fetched in time, or there is none. */
  async #report(): Promise<DossierReport | null> {
    if (this.#sight === null || !isReported(this.#sight.state)) return null;
    this.#stage = 'fetching';
    const requested = { ref: this.#input.ref, attempt: this.#sight.attempt?.number ?? null };
    const end = await this.#job.poll<DossierReport>(
      (request) => this.#calls.polling(request).fileDossier({ ...request, ...requested }),
      { deadlineAt: Date.now() + reportMs, seen: 'fetching' },
    );
    if (end.kind === 'refused') return null;
    this.#note(end.value?.sight ?? null);
    return end.value;
  }

  #expect(atLeast: number | null): void {
    this.#expected = { atLeast, startedAt: Date.now() };
  }

  #note(sight: DossierSight | null): void {
    if (sight === null) return;
    this.#sight = sight;
    const { attempt } = sight;
    if (attempt?.number != null) {
      const { billing, number, status } = attempt;
      this.#attempts.set(number, { number, status, billing });
    }
    this.#job.progress.details = { state: statusOf(sight), attempts: this.#attemptsInOrder() };
  }

  /** Another user may start an attempt while a decision is pending. */
  #showReview(): WaitingFor | undefined {
    const inReview = this.#sight?.state === 'needs_review';
    this.#stage = inReview ? 'review' : 'following';
    return inReview ? 'decision' : undefined;
  }

  #attemptsInOrder(): AttemptSeen[] {
    return [...this.#attempts.values()].sort((a, b) => a.number - b.number);
  }

  set #stage(stage: string) {
    this.#job.progress.stage = stage;
  }
}

function nullWhenCancelled(error: unknown): null {
  if (isCancellation(error)) return null;
  throw error;
}
