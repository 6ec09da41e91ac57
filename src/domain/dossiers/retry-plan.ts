import type { Dossier } from './dossier';

/** Which failed dossiers of the list to retry: each attempt may be charged. */

export interface RetryPlanTerms {
  /** Epoch milliseconds: dossiers last changed before it are left. Null: any. */
  since: number | null;
  limit: number;
  /** Highest attempt number that may be caused; null: one more for each. */
  maxAttempts: number | null;
}

export interface PlannedRetry {
  dossierId: string;
  from: number;
}

export type NotPlanned =
  'not_retryable' | 'max_attempts' | 'attempt_unknown' | 'older' | 'beyond_limit' | 'unreadable';

export interface RetryPlan {
  dossiers: PlannedRetry[];
  /** Failed dossiers left out, by reason. */
  left: Partial<Record<NotPlanned, number>>;
}

/** Checks the fields of each item, since a service may ignore the filter. Memory does not grow with the list. */
export class RetryPlanner {
  readonly plan: RetryPlan = { dossiers: [], left: {} };
  readonly #terms: RetryPlanTerms;
  readonly #seen = new Set<string>();

  constructor(terms: RetryPlanTerms) {
    this.#terms = terms;
  }

  /** @param dossier null: an unreadable entry */
  consider(dossier: Dossier | null): void {
    if (dossier === null) return this.#leave('unreadable');
    const { dossierId, state } = dossier;
    if (state !== 'failed' || this.#seen.has(dossierId)) return;
    const why = this.#whyNot(dossier);
    if (why !== null) return this.#leave(why);
    this.#seen.add(dossierId);
    this.plan.dossiers.push({ dossierId, from: dossier.attempt?.number ?? 1 });
  }

  #whyNot({ attempt, createdAt, failure, updatedAt }: Dossier): NotPlanned | null {
    const { limit, maxAttempts, since } = this.#terms;
    const changedAt = Date.parse(updatedAt ?? createdAt ?? '');
    if (since !== null && !(changedAt >= since)) return 'older';
    if (failure?.retryable === false) return 'not_retryable';
    const number = attempt?.number ?? null;
    if (number === null) return 'attempt_unknown';
    if (maxAttempts !== null && number >= maxAttempts) return 'max_attempts';
    return this.plan.dossiers.length >= limit ? 'beyond_limit' : null;
  }

  #leave(why: NotPlanned): void {
    const { left } = this.plan;
    left[why] = (left[why] ?? 0) + 1;
  }
}
