import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { createDossierActivities } from '../../activities/dossiers/dossiers';
import type { createDossierBatchActivities } from '../../activities/dossiers/batches';
import type { createDossierReportActivities } from '../../activities/dossiers/reports';
import { queueName } from '../../domain/core/queues';
import type { WaitOrder } from '../../domain/core/settled-wait';

type Activities = ReturnType<typeof createDossierActivities> &
  ReturnType<typeof createDossierReportActivities> &
  ReturnType<typeof createDossierBatchActivities>;

/** @param interactive a person waits */
export function dossierActivities(queueSuffix: string, interactive: boolean) {
  const common = {
    taskQueue: queueName('investigation', queueSuffix),
    retry: { initialInterval: '1s', maximumInterval: '30s' },
    priority: { priorityKey: interactive ? 1 : 3 },
  } as const;

  /** The deadline is a value; a minute later is the backstop (decision record 021). */
  const waiting = ({ deadlineAt }: WaitOrder, type?: ActivityCancellationType) =>
    proxyActivities<Activities>({
      ...common,
      startToCloseTimeout: '15m',
      heartbeatTimeout: '20s',
      scheduleToCloseTimeout: Math.max(0, deadlineAt - Date.now()) + 60_000,
      ...(type !== undefined && { cancellationType: type }),
    });

  // A few records and no call: what a killed worker had in hand is begun again after this.
  const { beginFollow, concludeDossier, concludeRetries } = proxyActivities<Activities>({
    ...common,
    startToCloseTimeout: '30s',
  });
  return {
    awaitDossier: (input: Parameters<Activities['awaitDossier']>[0]) =>
      waiting(input).awaitDossier(input),
    /** What was sent is waited for: else nobody would know that it was. */
    retryDossier: (input: Parameters<Activities['retryDossier']>[0]) =>
      waiting(input, ActivityCancellationType.WAIT_CANCELLATION_COMPLETED).retryDossier(input),
    cancelDossier: (input: Parameters<Activities['cancelDossier']>[0]) =>
      waiting(input).cancelDossier(input),
    fileDossier: (input: Parameters<Activities['fileDossier']>[0]) =>
      waiting(input).fileDossier(input),
    planRetries: (input: Parameters<Activities['planRetries']>[0]) =>
      waiting(input).planRetries(input),
    awaitFollow: (input: Parameters<Activities['awaitFollow']>[0]) =>
      waiting(input).awaitFollow(input),
    beginFollow,
    concludeDossier,
    concludeRetries,
  };
}
