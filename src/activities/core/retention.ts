import { Context } from '@temporalio/activity';
import {
  nothingExpired,
  type ExpiredCursor,
  type RetentionCounts,
} from '../../domain/core/retention';
import type { AuditTrail } from '../../store/audit/trail';
import { eraseExpired, type ExpiryOrder, type ExpiryTools } from '../../store/erasure/expired';
import type { Store } from '../../store/store';
import type { Count } from '../counters';
import { Heartbeats } from './heartbeats';

export interface RetentionDependencies extends ExpiryTools {
  store: Store;
  audit: AuditTrail;
  metrics: { count: Count };
  stopping: AbortSignal;
  now: () => number;
}

/** Then the workflow calls it again, which shows progress in its history. */
const longestMs = 60_000;
const heartbeatEveryMs = 2_000;

export function createRetentionActivities(deps: RetentionDependencies) {
  const { store, audit, metrics, stopping, now } = deps;

  return {
    /** Erases expired jobs of a kind for up to a minute. @returns `after`: where to resume; null: done */
    async eraseExpired(
      order: ExpiryOrder,
    ): Promise<RetentionCounts & { after: ExpiredCursor | null }> {
      const heartbeats = new Heartbeats(now, heartbeatEveryMs);
      const { cancellationSignal } = Context.current();
      const isStopped = () => cancellationSignal.aborted || stopping.aborted;
      const startedAt = now();
      const sum = { ...nothingExpired };
      let { after } = order;
      try {
        do {
          const step = await eraseExpired(store, { ...order, after }, deps);
          sum.erased += step.counts.erased;
          sum.underWay += step.counts.underWay;
          sum.undecided += step.counts.undecided;
          const { erased, underWay, undecided } = step.counts;
          metrics.count('diligence_retention_jobs_total', { result: 'erased' }, erased);
          metrics.count('diligence_retention_jobs_total', { result: 'under_way' }, underWay);
          metrics.count('diligence_retention_jobs_total', { result: 'undecided' }, undecided);
          after = step.after;
        } while (after !== null && !isStopped() && now() - startedAt < longestMs);
        if (sum.erased > 0) await audit.anchor();
        return { ...sum, after };
      } finally {
        heartbeats.stop();
      }
    },
  };
}
