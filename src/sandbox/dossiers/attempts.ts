/** One attempt at a dossier. */

import { statusOf, type Work } from '../core/work';
import type { DossierEnding, DossierStatus } from './dossier-scenario';

export interface Attempt extends Work<DossierEnding> {
  id: string;
  number: number;
  /** Who asked for it; `start`: it was there when the sandbox began. */
  by: 'start' | 'client' | 'other';
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

export function statusAt(attempt: Attempt, now: number): DossierStatus {
  const { cancelledAt, ending, endsAt } = attempt;
  const isOpen = cancelledAt < endsAt || ending === 'needs_review';
  if (isOpen && now >= cancelledAt) return 'cancelled';
  return statusOf<DossierEnding, DossierStatus>(attempt, now, ['queued', 'running'], settledAs);
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
