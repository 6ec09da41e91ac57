import { CancellationScope, setHandler, workflowInfo } from '@temporalio/workflow';
import type { BatchSummary } from '../../domain/certificates/certificates';
import type { RowListRef } from '../../domain/certificates/job';
import { certificateActivities } from './activities';
import { certificateBatch } from './certificate-batch';
import type { IssuingTerms } from '../inputs';
import { batchProgressQuery } from '../messages';

export interface CertificateResolveInput {
  /** The batch or single issuance decided on. */
  jobId: string;
  list: RowListRef;
  /** Number of the decision among those about the work. */
  decision: number;
  terms: IssuingTerms;
  concurrency: number;
}

/**
 * Carries out a person's decision on rows of a work, over what the store holds: a closed
 * workflow takes no updates (decision record 023). Ends by writing the results of the work again.
 */
export async function certificateResolve(input: CertificateResolveInput): Promise<BatchSummary> {
  const { jobId, list, decision, terms, concurrency } = input;
  const { carryOutDecision } = certificateActivities(terms, jobId);
  // Until the lanes start there is little to show, but a query is answered.
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
  // What a person decided is put on record whatever is cancelled meanwhile.
  const rows = await CancellationScope.nonCancellable(() =>
    carryOutDecision({ folder: list.outcomesIn, number: decision }),
  );
  return certificateBatch({ jobId, list: rows, terms, concurrency, decision });
}
