import type {
  PreparedChild,
  PreparedStep,
  SettleInput,
  createInvestigationActivities,
} from '../../activities/investigations/investigations';
import { proxyActivities } from '@temporalio/workflow';
import { queueName } from '../../domain/core/queues';
import type { InvestigateInput } from '../inputs';

export type { PreparedChild, PreparedStep, SettleInput };

type Activities = ReturnType<typeof createInvestigationActivities>;

/**
 * Store activities of an investigation, without a limit of attempts: a store that is away for hours delays
 * the investigation and does not end it. `settleStep` returns by its `until`.
 */
export function investigationActivities({ queueSuffix, interactive = true }: InvestigateInput) {
  return proxyActivities<Activities>({
    taskQueue: queueName('investigation', queueSuffix),
    retry: { initialInterval: '1s', maximumInterval: '30s' },
    priority: { priorityKey: interactive ? 1 : 3 },
    // A few records: after this time they are repeated on another worker.
    startToCloseTimeout: '30s',
  });
}
