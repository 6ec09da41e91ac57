import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { createCreditEngineActivities } from '../../activities/credit/engines';
import type { createCreditRecoveryActivities } from '../../activities/credit/recovery';
import type { createCreditRequestActivities } from '../../activities/credit/requests';
import type { createCreditResultActivities } from '../../activities/credit/results';
import { queueName } from '../../domain/core/queues';
import { jobActivities } from '../core/job-activities';

type EngineActivities = ReturnType<typeof createCreditEngineActivities>;
type RecoveryActivities = ReturnType<typeof createCreditRecoveryActivities>;
type RequestActivities = ReturnType<typeof createCreditRequestActivities>;
type ResultActivities = ReturnType<typeof createCreditResultActivities>;

/** The activities of analyses with their timeouts. */
export function creditActivities(queueSuffix: string) {
  const taskQueue = queueName('credit', queueSuffix);

  /**
   * One attempt: recovery examines a lost upload; Temporal never repeats it (decision record 001). Longer
   * than the longest configurable upload and the waits before it. An upload is never aborted: on
   * cancellation its response is awaited.
   */
  const requestAnalysis = (input: Parameters<RequestActivities['requestAnalysis']>[0]) =>
    proxyActivities<RequestActivities>({
      taskQueue: queueName('credit-uploads', queueSuffix),
      startToCloseTimeout: Math.max(0, input.until - Date.now()) + 15 * 60_000,
      heartbeatTimeout: '10s',
      retry: { maximumAttempts: 1 },
      cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    }).requestAnalysis(input);

  // No limit: a frozen worker may take the task, and the missing claim must be closed.
  const { recoverAnalysis } = proxyActivities<RecoveryActivities>({
    taskQueue,
    startToCloseTimeout: '15m',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', maximumInterval: '10s' },
    priority: { priorityKey: 1 },
  });

  return {
    requestAnalysis,
    recoverAnalysis,
    ...jobActivities<EngineActivities & ResultActivities>('credit', { queueSuffix }),
  };
}
