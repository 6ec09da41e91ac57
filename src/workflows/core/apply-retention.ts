import { isCancellation } from '@temporalio/workflow';
import type { JobKind } from '../../domain/job';
import {
  expiredBefore,
  nothingExpired,
  type ExpiredCursor,
  type RetentionCounts,
} from '../../domain/core/retention';
import type { ApplyRetentionInput } from '../inputs';
import { retentionActivities } from './retention-activities';

/** Erases what is older than the term of its kind. A kind that fails does not affect the others. */
export async function applyRetention({
  terms,
}: ApplyRetentionInput): Promise<Partial<Record<JobKind, RetentionCounts>>> {
  const { eraseExpired } = retentionActivities();
  const now = Date.now();
  const counts: Partial<Record<JobKind, RetentionCounts>> = {};
  let failure: { error: unknown } | null = null;
  for (const term of terms) {
    const sum = (counts[term.kind] = { ...nothingExpired });
    const endedBefore = expiredBefore(term, now);
    try {
      let after: ExpiredCursor | null = null;
      do {
        const step: RetentionCounts & { after: ExpiredCursor | null } = await eraseExpired({
          term,
          endedBefore,
          after,
        });
        sum.erased += step.erased;
        sum.underWay += step.underWay;
        sum.undecided += step.undecided;
        after = step.after;
      } while (after !== null);
    } catch (error) {
      if (isCancellation(error)) throw error;
      failure ??= { error };
    }
  }
  if (failure !== null) throw failure.error;
  return counts;
}
