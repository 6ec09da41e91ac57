import type {
  PreparedChild,
  SettleInput,
  createInvestigationActivities,
} from '../../activities/investigations/investigations';
import { proxyActivities } from '@temporalio/workflow';
import { queueName } from '../../domain/core/queues';

export type { PreparedChild };

type Activities = ReturnType<typeof createInvestigationActivities>;

/** What an investigation asks of the store. */
export function investigationActivities(queueSuffix: string, interactive: boolean) {
  const common = {
    taskQueue: queueName('investigation', queueSuffix),
    retry: { initialInterval: '1s', maximumInterval: '30s' },
    priority: { priorityKey: interactive ? 1 : 3 },
  } as const;
  const { prepareStep, finalizeInvestigation } = proxyActivities<Activities>({
    ...common,
    startToCloseTimeout: '2m',
  });

  /** The activity returns by `until`; the time-out is a backstop. */
  const settleStep = (input: SettleInput) =>
    proxyActivities<Activities>({
      ...common,
      startToCloseTimeout: '1m',
      scheduleToCloseTimeout: Math.max(0, (input.until ?? 0) - Date.now()) + 5 * 60_000,
    }).settleStep(input);

  return { prepareStep, settleStep, finalizeInvestigation };
}
