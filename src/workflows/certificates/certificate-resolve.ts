import { CancellationScope, setHandler, workflowInfo } from '@temporalio/workflow';
import type { BatchSummary } from '../../domain/certificates/certificates';
import type { RowListRef } from '../../domain/certificates/job';
import { certificateActivities } from './activities';
import { certificateBatch } from './certificate-batch';
import type { IssuingTerms } from '../inputs';
import { batchProgressQuery } from '../messages';

export interface CertificateResolveInput {
  /** The batch or single issuance that the resolution is about. */
  jobId: string;
  list: RowListRef;
  /** Number of the resolution among those of the job. */
  decision: number;
  terms: IssuingTerms;
  concurrency: number;
}

/**
 * Carries out a resolution on rows of a job, over what the store holds: a closed workflow takes no
 * updates (decision record 023). Ends by writing the results of the job again.
 */
export async function certificateResolve(input: CertificateResolveInput): Promise<BatchSummary> {
  const { jobId, list, decision, terms, concurrency } = input;
  const { carryOutDecision } = certificateActivities(terms, jobId);
  // Queries are answered before the lanes start.
  setHandler(batchProgressQuery, () => ({
    kind: 'certificate-batch',
    stage: 'proving access',
    waiting: null,
    paused: false,
    cancelling: false,
    startedAt: workflowInfo().startTime.getTime(),
    items: list.items,
    lanes: [],
  }));
  // The resolution is stored even when the workflow is cancelled.
  const rows = await CancellationScope.nonCancellable(() =>
    carryOutDecision({ folder: list.outcomesIn, number: decision }),
  );
  return certificateBatch({ jobId, list: rows, terms, concurrency, decision });
}
