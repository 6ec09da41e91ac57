/** A dossier that the service holds, and the attempts at it: what each will be is fixed when it begins. */

import { seededUuid } from '../core/chance';
import { beginWork, statusOf, type Work } from '../core/work';
import { stepAt } from '../faults/fault-plan';
import type {
  DossierEnding,
  DossierScenario,
  DossierScript,
  DossierStatus,
} from './dossier-scenario';

export interface HeldDossier {
  id: string;
  script: DossierScript;
  createdAt: number;
  /** All that began here, the current one last. */
  attempts: [Attempt, ...Attempt[]];
  /** Calls that arrived about it. */
  counts: { statusReads: number; retryRequests: number; cancelRequests: number; pdfs: number };
}

export interface Attempt extends Work<DossierEnding> {
  id: string;
  number: number;
  /** Who asked for it; `start`: it was there when the sandbox began. */
  by: 'start' | 'client' | 'other';
  /** The instant from which it is cancelled, also out of a review; infinite without that. */
  cancelledAt: number;
}

/** The next one at this dossier; its ending follows from how many there were before. */
export function nextAttempt(
  { id, script, attempts }: { id: string; script: DossierScript; attempts: readonly Attempt[] },
  by: Attempt['by'],
  at: number,
  { scenario, seed }: { scenario: DossierScenario; seed: number },
): Attempt {
  const number = attempts.length + 1;
  const words = [seed, 'dossier', id, number];
  const ending = stepAt(script.end ?? [], attempts.length)?.kind ?? 'completed';
  return {
    ...beginWork(at, ending, scenario.timing, words, script),
    id: seededUuid(`attempt|${words.join('|')}`),
    number,
    by,
    cancelledAt: Number.POSITIVE_INFINITY,
  };
}

export function currentOf({ attempts }: HeldDossier): Attempt {
  return attempts.at(-1) ?? attempts[0];
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
