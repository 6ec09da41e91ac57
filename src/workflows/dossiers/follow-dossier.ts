import {
  CancellationScope,
  condition,
  isCancellation,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import { ApplicationFailure } from '@temporalio/common';
import {
  isReported,
  visibleOf,
  type AttemptSeen,
  type DossierOutcome,
  type DossierReport,
  type DossierSight,
  type DossierStatus,
  type ReviewDecision,
} from '../../domain/dossiers/follow';
import { retryStep, whyNoRetry, whyNotDecided, type Retried } from '../../domain/dossiers/retry';
import { dossierEnd } from '../../domain/job-ends';
import { dossierActivities } from './activities';
import {
  cancelDossierUpdate,
  decideDossierUpdate,
  dossierProgressQuery,
  type DossierProgress,
  type FollowDossierInput,
} from '../messages';
import { tellAttention, tellEnd } from '../core/search-attributes';
import { waitOn } from '../core/wait-on';

/** A cancellation that was taken shows within this time, or a person is told. */
const cancelMs = 600_000;
/** Time for the files of a dossier that has settled, whatever the deadline. */
const reportMs = 3_600_000;

interface Ending {
  status: DossierStatus;
  /** By itself, at the service: another attempt before its report was had is followed, too. */
  byItself?: true;
  error?: { code: string | null; message: string };
}

interface Decided {
  given: ReviewDecision;
  /** What it was taken about: an attempt after that is not its business. */
  about: DossierSight;
}

/** What a look comes to: `end` where the service refuses it, or the deadline has come. */
type Step = { kind: 'settled' } | { kind: 'end'; ending: Ending };

/** Follows one dossier to its end, and has it put on file. */
export async function followDossier(input: FollowDossierInput): Promise<DossierOutcome> {
  const { deadlineAt, ref } = input;
  const activities = dossierActivities(input.queueSuffix, input.interactive);
  const startedAt = Date.now();
  const following = new CancellationScope();
  const attempts = new Map<number, AttemptSeen>();
  let { maxAttempts } = input;
  let stage: DossierProgress['stage'] = 'following';
  let waiting: string | null = null;
  let sight: DossierSight | null = null;
  let seen: string | null = null;
  let atLeast: number | null = null;
  let begunAt: number | null = null;
  let asked = 0;
  let decision: Decided | null = null;
  let review: ReviewDecision | null = null;
  /** A decision is waited for; somebody else may have begun another attempt meanwhile. */
  let reviewing = false;
  let cancelling: { remote: boolean } | null = null;

  setHandler(dossierProgressQuery, () => ({
    kind: 'dossier',
    stage,
    seen,
    waiting,
    attempts: [...attempts.values()],
    startedAt,
  }));
  setHandler(
    decideDossierUpdate,
    (given) => {
      decision = { given, about: sight as unknown as DossierSight };
      return `${given.action}: taken`;
    },
    {
      validator(given) {
        const inReview = stage === 'review';
        const attempt = sight?.attempt?.number ?? null;
        const work = { inReview, decided: decision !== null, attempt, maxAttempts };
        const why = whyNotDecided(given, work);
        if (why !== null) throw ApplicationFailure.nonRetryable(why, 'NotDecided');
      },
    },
  );
  setHandler(
    cancelDossierUpdate,
    (order) => {
      cancelling = order;
      following.cancel();
      return order.remote ? 'cancelling the dossier' : 'followed no longer';
    },
    {
      validator(_order) {
        const isOver = stage === 'fetching' || stage === 'done';
        if (isOver) throw ApplicationFailure.nonRetryable('it has settled', 'TooLate');
        if (cancelling !== null)
          throw ApplicationFailure.nonRetryable('it is cancelled', 'TooLate');
      },
    },
  );
  CancellationScope.current().cancelRequested.catch(() => following.cancel());

  function note(current: DossierSight | null): void {
    if (current === null) return;
    sight = current;
    seen = visibleOf(current);
    const { attempt } = current;
    if (attempt?.number == null) return;
    const { billing, number, status } = attempt;
    attempts.set(number, { number, status, billing });
  }

  function show(visible: string, current: DossierSight | null): void {
    waiting = visible.startsWith('waiting: ') ? visible.slice('waiting: '.length) : null;
    note(current);
    if (reviewing) stage = sight?.state === 'needs_review' ? 'review' : 'following';
    tellAttention(stage === 'review' || waiting !== null);
  }

  async function look(inReview: boolean): Promise<Step> {
    const end = await waitOn<DossierSight>(
      (order) => activities.awaitDossier({ ...order, ref, atLeast, begunAt, inReview }),
      { deadlineAt, since: startedAt, seen },
      show,
    );
    waiting = null;
    if (end.kind === 'refused') {
      const { code, message } = end;
      return { kind: 'end', ending: { status: 'refused', error: { code, message } } };
    }
    note(end.value);
    if (end.kind === 'settled') return { kind: 'settled' };
    const undecided = inReview && sight?.state === 'needs_review';
    return { kind: 'end', ending: { status: undecided ? 'needs_review' : 'expired', error: late } };
  }

  async function run(): Promise<Ending> {
    if (input.toCancel) return cancelRemote();
    for (;;) {
      stage = 'following';
      const step = await look(false);
      if (step.kind === 'end') return step.ending;
      const ending = await onSettled();
      if (ending !== null) return ending;
    }
  }

  /** Null: it goes on. */
  async function onSettled(): Promise<Ending | null> {
    const current = sight as unknown as DossierSight;
    const number = current.attempt?.number ?? null;
    if (atLeast !== null && number !== null && number < atLeast) {
      return { status: 'expired', error: notShown };
    }
    if (current.state === 'completed') return { status: 'completed', byItself: true };
    if (current.state === 'cancelled') return { status: 'cancelled' };
    if (current.state === 'needs_review') return onReview(current);
    const step = retryStep(current, {
      asked,
      leftMs: deadlineAt - Date.now(),
      maxAttempts,
      random: Math.random(),
    });
    if (step.kind === 'stop') return failed(current, step.reason, whyNoRetry[step.reason]);
    stage = 'waiting to retry';
    // What failed long ago has waited long enough.
    await sleep(input.atOnce && asked === 0 ? 1_000 : step.waitMs);
    return retry(step.from);
  }

  async function retry(from: number): Promise<Ending | null> {
    stage = 'retrying';
    asked += 1;
    const since = Date.now();
    const end = await waitOn<Retried>(
      (order) => activities.retryDossier({ ...order, ref, from, asked }),
      { deadlineAt, since, seen: 'retrying' },
      (visible) => show(visible, null),
    );
    waiting = null;
    if (end.kind === 'expired') return { status: 'expired', error: late };
    const refusal = end.kind === 'refused' ? end : end.value;
    if (refusal.kind === 'refused' || refusal.kind === 'unknown') {
      const { code, message } = refusal;
      return { status: 'failed', error: { code, message } };
    }
    if (refusal.kind === 'begun') {
      atLeast = refusal.attempt;
      begunAt = Date.now();
    }
    return null;
  }

  async function onReview(current: DossierSight): Promise<Ending | null> {
    if (input.onReview === 'leave') return { status: 'needs_review' };
    if (input.onReview === 'fail') {
      return failed(current, 'needs_review', 'it needs a review (--on-review fail)');
    }
    if (input.onReview === 'accept') {
      const by = { note: '--on-review accept', by: 'policy', maxAttempts: null };
      review = { ...by, action: 'accept', at: new Date(Date.now()).toISOString() };
      return { status: 'completed' };
    }
    stage = 'review';
    reviewing = true;
    tellAttention(true);
    decision = null;
    const watching = new CancellationScope();
    const moved = watching
      .run(() => look(true))
      .catch((error: unknown) => {
        if (isCancellation(error)) return null;
        throw error;
      });
    let step: Step | null;
    try {
      await Promise.race([moved, condition(() => decision !== null)]);
      watching.cancel();
      step = await moved;
    } finally {
      reviewing = false;
    }
    tellAttention(false);
    const decided = decision as Decided | null;
    if (decided === null) return step?.kind === 'end' ? step.ending : null;
    return carryOut(decided);
  }

  async function carryOut({ about, given }: Decided): Promise<Ending | null> {
    review = given;
    if (given.action === 'accept') return { status: 'completed' };
    if (given.action === 'cancel') return cancelRemote();
    maxAttempts = Math.max(maxAttempts, given.maxAttempts ?? 0);
    return retry(about.attempt?.number ?? 1);
  }

  async function cancelRemote(): Promise<Ending> {
    stage = 'cancelling';
    const now = Date.now();
    const end = await waitOn(
      (order) => activities.cancelDossier({ ...order, ref }),
      { deadlineAt: now + cancelMs, since: now, seen: 'cancelling' },
      (visible) => show(visible, null),
    );
    waiting = null;
    if (end.kind === 'refused') {
      const { code, message } = end;
      return { status: 'refused', error: { code, message } };
    }
    if (end.value !== null) note(end.value.sight);
    if (end.kind === 'expired') return { status: 'expired', error: notCancelled };
    if (end.value.kind === 'refused') {
      const { code, message } = end.value;
      return { status: 'refused', error: { code, message } };
    }
    const { state } = end.value.sight;
    if (state === 'completed' || state === 'cancelled') return { status: state };
    return failed(end.value.sight, 'failed', 'it had failed');
  }

  /** Null: it could not be had in time, or there is none to have. */
  async function report(): Promise<DossierReport | null> {
    if (sight === null || !isReported(sight.state)) return null;
    stage = 'fetching';
    const now = Date.now();
    const attempt = sight.attempt?.number ?? null;
    const end = await waitOn<DossierReport>(
      (order) => activities.fileDossier({ ...order, ref, attempt }),
      { deadlineAt: now + reportMs, since: now, seen: 'fetching' },
      (visible) => show(visible, null),
    );
    waiting = null;
    if (end.kind === 'refused') return null;
    note(end.value?.sight ?? null);
    return end.value;
  }

  /** What had ended, and is under way again before its report was had, is followed on. */
  async function toItsEnd(): Promise<{ ending: Ending; kept: DossierReport | null; due: boolean }> {
    for (;;) {
      const ending = await following.run(run).catch((error: unknown): Promise<Ending> | Ending => {
        if (!isCancellation(error)) throw error;
        return cancelling?.remote === true ? cancelRemote() : { status: 'cancelled' };
      });
      const ended = sight;
      const kept = await report();
      const goesOn = ending.byItself === true && kept?.movedOn === true;
      if (!goesOn) return { ending, kept, due: isReported(ended?.state ?? 'unknown') };
      atLeast = nextAttempt(ended, kept.sight) ?? atLeast;
      begunAt = Date.now();
    }
  }

  return CancellationScope.nonCancellable(async () => {
    const { record } = input;
    const ended = record === undefined ? null : await activities.beginFollow({ record });
    if (ended !== null) return ended;
    const { due, ending, kept } = await toItsEnd();
    stage = 'done';
    const missing = due && kept === null;
    const outcome = await activities.concludeDossier({
      ref,
      outcome: {
        status: ending.status,
        remote: sight?.statusWord ?? null,
        mode: sight?.mode ?? null,
        stale: sight?.stale ?? null,
        coverage: sight?.coverage ?? null,
        attempts: [...attempts.values()].sort((a, b) => a.number - b.number),
        risk: kept?.risk ?? null,
        filed: kept?.filed ?? [],
        unfiled: kept?.unfiled ?? [],
        review,
        note: missing ? 'its report could not be had in time' : (kept?.note ?? null),
        error: ending.error ?? null,
        startedAt: new Date(startedAt).toISOString(),
      },
    });
    tellEnd(dossierEnd(outcome));
    return outcome;
  });
}

const late = { code: 'deadline', message: 'it had not settled at the deadline' };
const notShown = {
  code: 'attempt_not_shown',
  message: 'the service does not show the attempt that it has begun: it may be charged',
};
const notCancelled = {
  code: 'not_cancelled',
  message: 'the service has not told the end of a dossier that it was asked to cancel',
};

function nextAttempt(ended: DossierSight | null, now: DossierSight): number | null {
  const number = now.attempt?.number ?? null;
  return number !== null && number > (ended?.attempt?.number ?? 0) ? number : null;
}

/** With what the service says of it, where it says something. */
function failed({ failure }: DossierSight, code: string, message: string): Ending {
  const told = failure?.message ?? null;
  return {
    status: 'failed',
    error: {
      code: failure?.code ?? code,
      message: told === null ? message : `${message}: ${told}`,
    },
  };
}
