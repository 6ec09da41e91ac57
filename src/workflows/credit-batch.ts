import {
  CancellationScope,
  ParentClosePolicy,
  executeChild,
  log,
  setHandler,
} from '@temporalio/workflow';
import { analyzeCredit } from './analyze-credit';
import { creditBatchProgressQuery, type CreditBatchInput } from './messages';
import { attributesAtStart } from './search-attributes';

/**
 * Many files, a few at once, each an analysis under its own id: one that a person started meanwhile
 * is left to it. How each ended stands in the archive; this returns how many did.
 */
export async function creditBatch(input: CreditBatchInput): Promise<{ ended: number }> {
  const { batchId, analyses, concurrency, deadlineMs, queueSuffix } = input;
  let ended = 0;
  let next = 0;
  setHandler(creditBatchProgressQuery, () => ({ total: analyses.length, ended }));

  const takeNext = async (): Promise<void> => {
    for (let one = analyses[next]; one !== undefined; one = analyses[next]) {
      next += 1;
      try {
        await executeChild<typeof analyzeCredit>(analyzeCredit.name, {
          workflowId: one.workflowId,
          args: [{ ref: one.ref, deadlineAt: Date.now() + deadlineMs, queueSuffix }],
          typedSearchAttributes: attributesAtStart('credit-analysis', batchId),
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          // What was sent is brought home whatever becomes of the batch.
          parentClosePolicy: ParentClosePolicy.ABANDON,
        });
      } catch (error) {
        if (CancellationScope.current().consideredCancelled) throw error;
        log.warn('an analysis of the batch runs elsewhere, or did not end well');
      }
      ended += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, takeNext));
  return { ended };
}
