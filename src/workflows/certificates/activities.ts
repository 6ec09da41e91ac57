import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { createCertificateDecisionActivities } from '../../activities/certificates/decisions';
import type { createCertificateDeferralActivities } from '../../activities/certificates/deferrals';
import type { createCertificateMergeActivities } from '../../activities/certificates/finalize';
import type { createCertificateRecoveryActivities } from '../../activities/certificates/recovery';
import type { createCertificateRenewalActivities } from '../../activities/certificates/renewals';
import type { createCertificateRequestActivities } from '../../activities/certificates/requests';
import type { createCertificatePollActivities } from '../../activities/certificates/polls';
import { queueName } from '../../domain/core/queues';
import type { IssuingTerms } from '../inputs';

type RequestActivities = ReturnType<typeof createCertificateRequestActivities>;
type RecoveryActivities = ReturnType<typeof createCertificateRecoveryActivities>;
type PollActivities = ReturnType<typeof createCertificatePollActivities>;
type DecisionActivities = ReturnType<typeof createCertificateDecisionActivities>;
type DeferralActivities = ReturnType<typeof createCertificateDeferralActivities>;
type MergeActivities = ReturnType<typeof createCertificateMergeActivities>;

/** Interactive jobs go before batches; batches share the service fairly. */
function precedence({ interactive }: IssuingTerms, fairnessKey: string) {
  // The server takes 64 bytes; job ids differ at their end.
  return interactive ? { priorityKey: 1 } : { priorityKey: 3, fairnessKey: fairnessKey.slice(-64) };
}

/** The activities of certificates with their timeouts. */
export function certificateActivities(terms: IssuingTerms, fairnessKey: string) {
  const priority = precedence(terms, fairnessKey);
  const requestQueue = queueName('certificate-requests', terms.queueSuffix);
  const pollQueue = queueName('certificate-watches', terms.queueSuffix);

  // One attempt: recovery examines a lost request; Temporal never repeats it (decision record 001).
  // On cancellation, a queued activity ends at once and a started one returns what it has.
  const { requestCertificates } = proxyActivities<RequestActivities>({
    taskQueue: requestQueue,
    scheduleToStartTimeout: '30s',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    startToCloseTimeout: '90s',
    heartbeatTimeout: '10s',
    retry: { maximumAttempts: 1 },
    priority,
  });

  // No limit: a frozen worker may take the task, and the missing claims must be closed.
  const { recoverRequests, rereadReceipts } = proxyActivities<RecoveryActivities>({
    taskQueue: requestQueue,
    startToCloseTimeout: '5m',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', maximumInterval: '10s' },
    priority: { priorityKey: 1 },
  });

  const { proveAccess } = proxyActivities<RequestActivities>({
    taskQueue: requestQueue,
    startToCloseTimeout: '60s',
    retry: { initialInterval: '1s', maximumInterval: '30s' },
    priority: { priorityKey: 1 },
  });

  // A cancelled poll returns what it has.
  const { pollCertificates } = proxyActivities<PollActivities>({
    taskQueue: pollQueue,
    startToCloseTimeout: '10m',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', maximumInterval: '10s' },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    priority,
  });

  const { leaveOutstanding, deferRows, takeDeferredRows, dropDeferredRows } =
    proxyActivities<DeferralActivities>({
      taskQueue: pollQueue,
      startToCloseTimeout: '2m',
      retry: { initialInterval: '1s', maximumInterval: '30s' },
      priority: { priorityKey: 1 },
    });

  const { finalizeRows, carryOutDecision } = proxyActivities<MergeActivities & DecisionActivities>({
    taskQueue: pollQueue,
    startToCloseTimeout: '30m',
    heartbeatTimeout: '30s',
    retry: { initialInterval: '1s', maximumInterval: '30s' },
    priority: { priorityKey: 2 },
  });

  return {
    requestCertificates,
    recoverRequests,
    rereadReceipts,
    proveAccess,
    pollCertificates,
    leaveOutstanding,
    deferRows,
    takeDeferredRows,
    dropDeferredRows,
    finalizeRows,
    carryOutDecision,
  };
}

export type CertificateActivities = ReturnType<typeof certificateActivities>;

export function renewalActivities(queueSuffix: string) {
  return proxyActivities<ReturnType<typeof createCertificateRenewalActivities>>({
    taskQueue: queueName('certificate-watches', queueSuffix),
    // Reads every certificate of the store.
    startToCloseTimeout: '30m',
    retry: { initialInterval: '1s', maximumInterval: '1m' },
    priority: { priorityKey: 3 },
  });
}
