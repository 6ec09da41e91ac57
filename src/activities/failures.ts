import { ApplicationFailure } from '@temporalio/common';

/** The only place that builds an ApplicationFailure (DESIGN D11). Messages hold no values. */
export const failureTypes = {
  /** The archive does not hold what the workflow refers to: retrying cannot help. */
  archiveIncomplete: 'ArchiveIncomplete',
} as const;
export type FailureType = (typeof failureTypes)[keyof typeof failureTypes];

export function archiveIncomplete(what: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: failureTypes.archiveIncomplete,
    message: `the archive does not hold ${what}`,
    nonRetryable: true,
  });
}
