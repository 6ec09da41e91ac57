import { ParentClosePolicy, continueAsNew, setHandler, startChild } from '@temporalio/workflow';
import type { AnalysisCounts } from '../../domain/credit/batch';
import { thingOfAnalysis } from '../../domain/credit/batch';
import { analysisFolder, analysisWorkflowId } from '../../domain/credit/work';
import { batchEnd } from '../../domain/job-ends';
import { analyzeCredit } from './analyze-credit';
import { BatchDriver, type BatchRules } from '../core/batch-driver';
import { creditActivities } from './activities';
import { creditBatchProgressQuery, type CreditBatchInput } from '../messages';
import { attributesAtStart, tellEnd } from '../core/search-attributes';

/**
 * Many files, each an analysis under its own id.
 *
 * @returns how they ended, counted; each end stands in the store
 */
export async function creditBatch(input: CreditBatchInput): Promise<AnalysisCounts> {
  const driver = new BatchDriver(input, input.carried, rulesOf(input));
  setHandler(creditBatchProgressQuery, () => ({
    kind: 'credit-batch',
    total: input.analyses,
    ...driver.standing,
  }));
  return driver.drive();
}

function rulesOf(input: CreditBatchInput): BatchRules {
  const { batchId, queueSuffix } = input;
  return {
    activities: creditActivities(queueSuffix),
    workflowIdOf,
    start: (workId, deadlineAt) =>
      startChild<typeof analyzeCredit>(analyzeCredit.name, {
        workflowId: workflowIdOf(workId),
        args: [{ ref: { workId, folder: analysisFolder(workId) }, deadlineAt, queueSuffix }],
        typedSearchAttributes: attributesAtStart('credit-analysis', batchId),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        // What was sent is brought home whatever becomes of the batch.
        parentClosePolicy: ParentClosePolicy.ABANDON,
      }),
    handOn: (part, carried) => continueAsNew<typeof creditBatch>({ ...input, part, carried }),
    tellEnd: (counts) => tellEnd(batchEnd('credit-batch', counts, input.notSent)),
  };
}

function workflowIdOf(workId: string): string {
  return analysisWorkflowId(thingOfAnalysis(workId));
}
