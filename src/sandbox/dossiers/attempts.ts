/** One attempt: everything it will ever be is fixed when it starts; the clock reveals it. */

import { drawDuration, seededUuid } from '../chance';
import type {
  DossierEnding,
  DossierScenario,
  DossierScript,
  DossierStatus,
} from './dossier-scenario';

export interface Attempt {
  id: string;
  number: number;
  /** Who asked for it; `start`: it was there when the sandbox began. */
  by: 'start' | 'client' | 'other';
  ending: DossierEnding;
  /** Instants, in milliseconds; `endsAt` is infinite when it never settles. */
  queuedAt: number;
  startsAt: number;
  endsAt: number;
  /** The instant from which it is cancelled, also out of a review; infinite without that. */
  cancelledAt: number;
}

const settledAs: Record<DossierEnding, DossierStatus> = {
  completed: 'completed',
  needs_review: 'needs_review',
  failed: 'failed',
  failure_retryable: 'failed',
  failure_permanent: 'failed',
  cancelled: 'cancelled',
  never_settles: 'running',
};

export function beginAttempt({
  seed,
  dossierId,
  number,
  by,
  at,
  ending,
  script,
  timing,
}: {
  seed: number;
  dossierId: string;
  number: number;
  by: Attempt['by'];
  at: number;
  ending: DossierEnding;
  script: DossierScript;
  timing: DossierScenario['timing'];
}): Attempt {
  const words = [seed, 'dossier', dossierId, number];
  const waiting = script.waitingMs ?? timing.waitingMs;
  const processing = script.processingMs ?? timing.processingMs;
  const startsAt = at + drawDuration(waiting, timing.distribution, ...words, 'waiting');
  const processingMs = drawDuration(processing, timing.distribution, ...words, 'processing');
  return {
    id: seededUuid(`attempt|${words.join('|')}`),
    number,
    by,
    ending,
    queuedAt: at,
    startsAt,
    endsAt: ending === 'never_settles' ? Number.POSITIVE_INFINITY : startsAt + processingMs,
    cancelledAt: Number.POSITIVE_INFINITY,
  };
}

export function statusAt(attempt: Attempt, now: number): DossierStatus {
  const { cancelledAt, ending, endsAt, startsAt } = attempt;
  const isOpen = cancelledAt < endsAt || ending === 'needs_review';
  if (isOpen && now >= cancelledAt) return 'cancelled';
  if (now >= endsAt) return settledAs[attempt.ending];
  return now < startsAt ? 'queued' : 'running';
}

/** The instant it settles; infinite when it never does. */
export function settlesAt({ cancelledAt, endsAt }: Attempt): number {
  return Math.min(cancelledAt, endsAt);
}

/** Whether a cancellation can still change anything. */
export function isCancellableAt(attempt: Attempt, now: number): boolean {
  return ['queued', 'running', 'needs_review'].includes(statusAt(attempt, now));
}

export function isSettledAt(attempt: Attempt, now: number): boolean {
  return now >= settlesAt(attempt);
}

/** Instants at which each of the phases is done, spread evenly over the work. */
export function phaseEnds({ startsAt, endsAt }: Attempt, phases: number): number[] {
  const span = Number.isFinite(endsAt) ? endsAt - startsAt : Number.POSITIVE_INFINITY;
  return Array.from({ length: phases }, (_, index) => startsAt + (span * (index + 1)) / phases);
}
