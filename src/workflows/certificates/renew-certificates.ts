import { executeChild, workflowInfo } from '@temporalio/workflow';
import { attributesAtStart } from '../core/search-attributes';
import type { RenewCertificatesInput } from '../inputs';
import { renewalActivities } from './activities';
import { certificateBatch } from './certificate-batch';

/** Renews certificates that expire soon. One batch at a time. */
export async function renewCertificates(input: RenewCertificatesInput): Promise<void> {
  const { by, concurrency, deadlineMs, label, queueSuffix, withinMs } = input;
  const startedAt = workflowInfo().startTime.getTime();
  const terms = { rowDeadlineMs: deadlineMs, reuseSince: startedAt, onUnknown: 'report' } as const;
  const stored = await renewalActivities(queueSuffix).fileRenewal({
    withinMs,
    terms: { ...terms, concurrency },
    by,
    label,
    startedAt,
  });
  if (stored === null) return;
  const requestUntil = Date.now() + deadlineMs;
  await executeChild(certificateBatch, {
    workflowId: stored.jobId,
    typedSearchAttributes: attributesAtStart('certificate-batch', stored.jobId),
    args: [
      {
        ...stored,
        terms: { ...terms, requestUntil, interactive: false, queueSuffix },
        concurrency,
      },
    ],
  });
}
