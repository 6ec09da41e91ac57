import type {
  PreparedChild,
  PreparedStep,
  SettleInput,
  createInvestigationActivities,
} from '../../activities/investigations/investigations';
import { proxyActivities } from '@temporalio/workflow';
import { queueName } from '../../domain/core/queues';

export type { PreparedChild, PreparedStep, SettleInput };

type Activities = ReturnType<typeof createInvestigationActivities>;

/**
 * What an investigation asks of the store. No attempt is the last one: a store that is away for hours costs
 * time, not the investigation. `settleStep` returns by its `until` by itself.
 */
export function investigationActivities(queueSuffix: string, interactive: boolean) {
  return proxyActivities<Activities>({
    taskQueue: queueName('investigation', queueSuffix),
    retry: { initialInterval: '1s', maximumInterval: '30s' },
    priority: { priorityKey: interactive ? 1 : 3 },
    // A few records: what a killed worker had in hand starts again after this.
    startToCloseTimeout: '30s',
  });
}
