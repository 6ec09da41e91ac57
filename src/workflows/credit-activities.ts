import { proxyActivities } from '@temporalio/workflow';
import type { createCreditRequestActivities } from '../activities/credit-requests';
import type { createCreditResultActivities } from '../activities/credit-results';
import { queueName } from '../domain/queues';

type RequestActivities = ReturnType<typeof createCreditRequestActivities>;
type ResultActivities = ReturnType<typeof createCreditResultActivities>;

/** The activities of analyses with their timeouts, each with its reason. */
export function creditActivities(queueSuffix: string) {
  const taskQueue = queueName('credit', queueSuffix);

  // One attempt: a lost upload is looked into, never repeated by the engine (DESIGN D3). Longer than
  // the longest upload that can be configured, and the permit before it.
  const { requestAnalysis } = proxyActivities<RequestActivities>({
    taskQueue,
    startToCloseTimeout: '15m',
    heartbeatTimeout: '10s',
    retry: { maximumAttempts: 1 },
  });

  // Without limit: a frozen worker goes on swallowing tasks, and the door must be shut.
  const { recoverAnalysis } = proxyActivities<RequestActivities>({
    taskQueue,
    startToCloseTimeout: '15m',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', maximumInterval: '10s' },
    priority: { priorityKey: 1 },
  });

  /** @param deadlineAt epoch milliseconds; the time-out is a backstop, the deadline is a value */
  const awaitAnalysis = (input: Parameters<ResultActivities['awaitAnalysis']>[0]) =>
    proxyActivities<ResultActivities>({
      taskQueue,
      startToCloseTimeout: '15m',
      heartbeatTimeout: '10s',
      scheduleToCloseTimeout: Math.max(0, input.deadlineAt - Date.now()) + 15 * 60_000,
      retry: { initialInterval: '2s', maximumInterval: '1m' },
    }).awaitAnalysis(input);

  const { fileResults } = proxyActivities<ResultActivities>({
    taskQueue,
    startToCloseTimeout: '30m',
    heartbeatTimeout: '30s',
    scheduleToCloseTimeout: '6h',
    retry: { initialInterval: '2s', maximumInterval: '1m' },
  });

  const { concludeAnalysis } = proxyActivities<ResultActivities>({
    taskQueue,
    startToCloseTimeout: '1m',
    retry: { initialInterval: '1s', maximumInterval: '30s' },
  });

  return { requestAnalysis, recoverAnalysis, awaitAnalysis, fileResults, concludeAnalysis };
}
