import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

/** The only place that builds an ApplicationFailure. Messages hold no values. */
export const failureTypes = {
  /** The store lacks what the workflow refers to: retrying cannot help. */
  storeIncomplete: 'StoreIncomplete',
  /** No error: Temporal keeps the timer until the next read (decision record 021). */
  notSettledYet: 'NotSettledYet',
} as const;
export type FailureType = (typeof failureTypes)[keyof typeof failureTypes];

export function storeIncomplete(what: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: failureTypes.storeIncomplete,
    message: `the store does not hold ${what}`,
    nonRetryable: true,
  });
}

/** @param delayMs until the next attempt; at least a second, since 0 would stop the retries */
export function notSettledYet(delayMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: failureTypes.notSettledYet,
    message: 'not settled yet',
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: Math.max(1_000, Math.round(delayMs)),
  });
}
