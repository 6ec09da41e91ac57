import { ParentClosePolicy, continueAsNew, setHandler, startChild } from '@temporalio/workflow';
import { profileFolder } from '../domain/profiles/lookup';
import { traceFolder } from '../domain/traces/search';
import { batchEnd } from '../domain/job-ends';
import { BatchDriver, type BatchRules, type StartedWork } from './core/batch-driver';
import { inquiryBatchActivities } from './core/inquiry-batch-activities';
import { lookUpProfile } from './profiles/look-up-profile';
import { inquiryBatchProgressQuery, type InquiryBatchInput } from './messages';
import { attributesAtStart, tellEnd } from './core/search-attributes';
import { searchTrace } from './traces/search-trace';

/**
 * Many searches or lookups, each a work under its own id.
 *
 * @returns how they ended, counted; each end stands in the store
 */
export async function inquiryBatch(
  input: InquiryBatchInput,
): Promise<Partial<Record<string, number>>> {
  const driver = new BatchDriver(input, input.carried, rulesOf(input));
  setHandler(inquiryBatchProgressQuery, () => ({
    kind: input.kind,
    total: input.works,
    ...driver.standing,
  }));
  return driver.drive();
}

function rulesOf(input: InquiryBatchInput): BatchRules {
  const { kind, queueSuffix } = input;
  return {
    activities: inquiryBatchActivities(queueSuffix),
    workflowIdOf,
    start: (workId, deadlineAt) =>
      kind === 'trace-batch'
        ? startSearch(input, workId, deadlineAt)
        : startLookup(input, workId, deadlineAt),
    handOn: (part, carried) => continueAsNew<typeof inquiryBatch>({ ...input, part, carried }),
    tellEnd: (counts) => tellEnd(batchEnd(kind, counts, input.linesAtFault)),
  };
}

function startSearch(
  { batchId, queueSuffix }: InquiryBatchInput,
  workId: string,
  deadlineAt: number,
): Promise<StartedWork> {
  const ref = { workId, folder: traceFolder(workId) };
  return startChild<typeof searchTrace>(searchTrace.name, {
    ...childOptions(workId),
    args: [{ ref, deadlineAt, interactive: false, queueSuffix }],
    typedSearchAttributes: attributesAtStart('trace', batchId),
  });
}

function startLookup(
  { batchId, retryRural, queueSuffix }: InquiryBatchInput,
  workId: string,
  deadlineAt: number,
): Promise<StartedWork> {
  const ref = { workId, folder: profileFolder(workId) };
  return startChild<typeof lookUpProfile>(lookUpProfile.name, {
    ...childOptions(workId),
    args: [{ ref, deadlineAt, retryRural, interactive: false, queueSuffix }],
    typedSearchAttributes: attributesAtStart('profile', batchId),
  });
}

function childOptions(workId: string) {
  return {
    workflowId: workflowIdOf(workId),
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    // What was sent is brought home whatever becomes of the batch.
    parentClosePolicy: ParentClosePolicy.ABANDON,
  } as const;
}

/** The instant of an ask is left out: a thing has one workflow at a time. */
function workflowIdOf(workId: string): string {
  return workId.split('/').slice(0, 2).join('/');
}
