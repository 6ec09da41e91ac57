import {
  CancellationScope,
  condition,
  isCancellation,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import { refuseOrder } from '../core/cancel-order';
import { dossierEnd } from '../../domain/job-ends';
import { orderAnswer, type OrderAnswer } from '../../domain/order-answers';
import {
  isReported,
  statusOf,
  type AttemptSeen,
  type DossierOutcome,
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
import { jobActivities } from '../core/job-activities';
import { runJob, unsettled, type Job } from '../core/run-job';
import type { FollowDossierInput } from '../inputs';
import { decideDossierUpdate, type WaitingFor } from '../messages';
import type { Activities } from './activities';

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

/** Follows one dossier to its outcome, through retries and reviews, and stores it. */
export async function followDossier(input: FollowDossierInput): Promise<DossierOutcome> {
  const { atOnce, deadlineAt, onReview: policy, record, ref, toCancel } = input;
  const { polling, recording, requesting } = jobActivities<Activities>('investigation', input);
  const attempts = new Map<number, AttemptSeen>();
  let { maxAttempts } = input;
  let latest = null as DossierSight | null;
  /** Reads that show an earlier attempt are outdated. */
  let expected = { atLeast: null as number | null, startedAt: null as number | null };
  let retries = 0;
  /** It was seen before it settled: a failure is fresh. */
  let hasRun = false;
  let decided = null as Decided | null;
  let review = null as ReviewDecision | null;

  const expect = (atLeast: number | null): void => {
    expected = { atLeast, startedAt: Date.now() };
  };
  const attemptsInOrder = (): AttemptSeen[] =>
    [...attempts.values()].sort((a, b) => a.number - b.number);

  function takeDecisions(job: Job): void {
    const onDecision = (given: ReviewDecision): OrderAnswer => {
      decided = { given, about: latest as DossierSight };
      return orderAnswer(given.action === 'accept' ? 'accepted' : 'retrying');
    };
    setHandler(decideDossierUpdate, onDecision, {
      validator: (given) => {
        const why = whyNotDecided(given, {
          inReview: job.progress.stage === 'review',
          decided: decided !== null,
          attempt: latest?.attempt?.number ?? null,
        });
        if (why !== null) refuseOrder(why);
      },
    });
  }

  /** A dossier whose next attempt started before its report was fetched is followed on. */
  async function toItsEnd(job: Job) {
    for (;;) {
      const ending = await job.cancellable<Ending>(
        () => toSomeEnd(job),
        () => (job.order?.remote === true ? cancelRemote(job) : { status: 'cancelled' }),
      );
      const ended = latest;
      const report = await fetchReport(job);
      const resumes = ending.byItself === true && report?.movedOn === true;
      if (!resumes) return outcomeOf(ending, report, ended);
      expect(attemptAfter(ended, report.sight) ?? expected.atLeast);
    }
  }

  /** @param ended as observed before its report was fetched */
  function outcomeOf(ending: Ending, report: DossierReport | null, ended: DossierSight | null) {
    const isMissing = report === null && isReported(ended?.state ?? 'unknown');
    return {
      status: ending.status,
      remote: latest?.statusWord ?? null,
      mode: latest?.mode ?? null,
      stale: latest?.stale ?? null,
      coverage: latest?.coverage ?? null,
      attempts: attemptsInOrder(),
      risk: report?.risk ?? null,
      stored: report?.stored ?? [],
      notStored: report?.notStored ?? [],
      review,
      note: isMissing ? 'its report could not be fetched in time' : (report?.note ?? null),
      error: ending.error ?? null,
    };
  }

  async function toSomeEnd(job: Job): Promise<Ending> {
    if (toCancel) return cancelRemote(job);
    for (;;) {
      job.progress.stage = 'following';
      const ending = (await follow(job, false)) ?? (await onSettled(job));
      if (ending !== null) return ending;
    }
  }

  /** Null: it has settled, or needs a review. */
  async function follow(job: Job, inReview: boolean): Promise<Ending | null> {
    const terms = { ref, ...expected, inReview };
    const end = await job.poll<DossierSight>(
      (request) => polling(request).awaitDossier({ ...request, ...terms }),
      {
        deadlineAt,
        since: job.progress.startedAt,
        seen: job.progress.details.state ?? null,
        onChange: (_status, sight) => {
          hasRun ||= sight !== null;
          note(job, sight);
          return inReview ? showReview(job) : undefined;
        },
      },
    );
    if (end.kind === 'refused') return unsettled(end, 'it');
    note(job, end.value);
    if (end.kind === 'settled') return null;
    const undecided = inReview && latest?.state === 'needs_review';
    return { ...unsettled(end, 'it'), status: undecided ? 'needs_review' : 'expired' };
  }

  async function onSettled(job: Job): Promise<Ending | null> {
    const sight = latest as DossierSight;
    const { atLeast } = expected;
    const number = sight.attempt?.number ?? null;
    if (atLeast !== null && number !== null && number < atLeast) {
      return { status: 'expired', error: notShown };
    }
    if (sight.state === 'completed') return { status: 'completed', byItself: true };
    if (sight.state === 'cancelled') return { status: 'cancelled' };
    if (sight.state === 'needs_review') return decideReview(job, sight);
    const step = retryStep(sight, {
      requested: retries,
      leftMs: deadlineAt - Date.now(),
      maxAttempts,
      random: Math.random(),
    });
    if (step.kind === 'stop') return failedAs(sight, step.reason, whyNoRetry[step.reason]);
    job.progress.stage = 'waiting to retry';
    // No delay of ours for a failure that is long past.
    const isPast = atOnce || (!hasRun && sight.failure?.retryAfterMs == null);
    await sleep(isPast && retries === 0 ? 1_000 : step.waitMs);
    return retry(job, step.from);
  }

  async function retry(job: Job, from: number): Promise<Ending | null> {
    job.progress.stage = 'retrying';
    const requested = (retries += 1);
    const end = await job.poll<Retried>(
      (request) => requesting(request).retryDossier({ ...request, ref, from, requested }),
      { deadlineAt, seen: 'retrying' },
    );
    if (end.kind === 'expired') return unsettled(end, 'it');
    const answer = end.kind === 'refused' ? end : end.value;
    if (answer.kind === 'refused' || answer.kind === 'unknown') {
      const { code, message } = answer;
      return { status: 'failed', error: { code, message } };
    }
    if (answer.kind === 'started') expect(answer.attempt);
    return null;
  }

  async function decideReview(job: Job, sight: DossierSight): Promise<Ending | null> {
    if (policy === 'leave') return { status: 'needs_review' };
    if (policy === 'fail') {
      return failedAs(sight, 'needs_review', 'it needs a review (--on-review fail)');
    }
    if (policy === 'accept') {
      review = acceptedByPolicy(Date.now());
      return { status: 'completed' };
    }
    decided = null;
    job.waitFor(showReview(job) ?? null);
    const watching = new CancellationScope();
    const moved = watching.run(() => follow(job, true)).catch(nullWhenCancelled);
    await Promise.race([moved, condition(() => decided !== null)]);
    watching.cancel();
    const ending = await moved;
    job.waitFor(null);
    const given = decided as Decided | null;
    return given === null ? ending : carryOut(job, given);
  }

  async function carryOut(job: Job, { about, given }: Decided): Promise<Ending | null> {
    review = given;
    if (given.action === 'accept') return { status: 'completed' };
    const from = about.attempt?.number ?? 1;
    // The decision allows one more attempt.
    maxAttempts = Math.max(maxAttempts, from + 1);
    return retry(job, from);
  }

  async function cancelRemote(job: Job): Promise<Ending> {
    job.progress.stage = 'cancelling';
    const end = await job.poll((request) => polling(request).cancelDossier({ ...request, ref }), {
      deadlineAt: Date.now() + cancelMs,
      seen: 'cancelling',
    });
    if (end.kind === 'refused') return unsettled(end, 'it');
    if (end.value !== null) note(job, end.value.sight);
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
  async function fetchReport(job: Job): Promise<DossierReport | null> {
    if (latest === null || !isReported(latest.state)) return null;
    job.progress.stage = 'fetching';
    const requested = { ref, attempt: latest.attempt?.number ?? null };
    const end = await job.poll<DossierReport>(
      (request) => polling(request).fileDossier({ ...request, ...requested }),
      { deadlineAt: Date.now() + reportMs, seen: 'fetching' },
    );
    if (end.kind === 'refused') return null;
    note(job, end.value?.sight ?? null);
    return end.value;
  }

  function note(job: Job, sight: DossierSight | null): void {
    if (sight === null) return;
    latest = sight;
    const { attempt } = sight;
    if (attempt?.number != null) {
      const { billing, number, status } = attempt;
      attempts.set(number, { number, status, billing });
    }
    job.progress.details = { state: statusOf(sight), attempts: attemptsInOrder() };
  }

  /** Another user may start an attempt while a decision is pending. */
  function showReview(job: Job): WaitingFor | undefined {
    const inReview = latest?.state === 'needs_review';
    job.progress.stage = inReview ? 'review' : 'following';
    return inReview ? 'decision' : undefined;
  }

  return runJob<ReturnType<typeof outcomeOf>, DossierOutcome>({
    kind: 'dossier',
    folder: ref.folder,
    stage: 'following',
    async steps(job) {
      takeDecisions(job);
      const ended = record === undefined ? null : await recording.beginFollow({ record });
      // Finalizing returns what is stored.
      return ended === null ? toItsEnd(job) : outcomeOf(ended, null, null);
    },
    finalize: (outcome) => recording.finalizeDossier({ ref, outcome }),
    end: dossierEnd,
    onCancel: ({ remote }) => orderAnswer(remote === true ? 'cancelling_dossier' : 'not_followed'),
  });
}

function nullWhenCancelled(error: unknown): null {
  if (isCancellation(error)) return null;
  throw error;
}
