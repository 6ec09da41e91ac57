import { ParentClosePolicy, continueAsNew, startChild } from '@temporalio/workflow';
import { workflowIdOf, type ChildCounts, type JobBatchKind } from '../domain/core/job-batch';
import type { QueueKind } from '../domain/core/queues';
import type { WorkflowKind } from '../domain/core/search-attributes';
import { analysisFolder } from '../domain/credit/work';
import { dossierFolder } from '../domain/dossiers/follow';
import { profileFolder } from '../domain/profiles/lookup';
import { traceFolder } from '../domain/traces/search';
import { ChildJobs } from './core/child-jobs';
import { jobBatchActivities } from './core/job-batch-activities';
import { attributesAtStart } from './core/search-attributes';
import { analyzeCredit } from './credit/analyze-credit';
import { followDossier } from './dossiers/follow-dossier';
import type { JobBatchInput } from './messages';
import { lookUpProfile } from './profiles/look-up-profile';
import { searchTrace } from './traces/search-trace';

/** What the rows of a batch are. */
interface ChildKind {
  workflow: string;
  kind: WorkflowKind;
  queue: QueueKind;
  /** What the workflow and its activities call the job by. */
  ref: (jobId: string) => { workId: string; folder: string; dossierId?: string };
  /** Who finds it running asks which job it does, whoever has started it. */
  namesItself?: true;
}

const children: Record<JobBatchKind, ChildKind> = {
  'trace-batch': {
    workflow: searchTrace.name,
    kind: 'trace',
    queue: 'investigation',
    ref: (workId) => ({ workId, folder: traceFolder(workId) }),
  },
  'profile-batch': {
    workflow: lookUpProfile.name,
    kind: 'profile',
    queue: 'investigation',
    ref: (workId) => ({ workId, folder: profileFolder(workId) }),
  },
  'credit-batch': {
    workflow: analyzeCredit.name,
    kind: 'credit-analysis',
    queue: 'credit',
    ref: (workId) => ({ workId, folder: analysisFolder(workId) }),
  },
  'dossier-batch': {
    workflow: followDossier.name,
    kind: 'dossier',
    queue: 'investigation',
    ref: (workId) => {
      const [, dossierId = ''] = workId.split('/');
      return { workId, folder: dossierFolder(workId), dossierId };
    },
    namesItself: true,
  },
};

/**
 * Many jobs of one kind, each under its own id.
 *
 * @returns how they ended, counted; each end stands in the store
 */
export async function jobBatch(input: JobBatchInput): Promise<ChildCounts> {
  const { batchId, kind: batchKind, queueSuffix } = input;
  const { kind, namesItself, queue, ref, workflow } = children[batchKind];
  const jobs = new ChildJobs(input, {
    activities: jobBatchActivities(queue, queueSuffix),
    start: ({ jobId, terms }, deadlineAt) =>
      startChild<(input: object) => Promise<{ status: string }>>(workflow, {
        workflowId: workflowIdOf(jobId),
        args: [{ ...terms, ref: ref(jobId), deadlineAt, interactive: false, queueSuffix }],
        typedSearchAttributes: attributesAtStart(kind, namesItself === true ? jobId : batchId),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        // What was sent is completed whatever becomes of the batch.
        parentClosePolicy: ParentClosePolicy.ABANDON,
      }),
    continueAsNew: (carryover) => continueAsNew<typeof jobBatch>({ ...input, carryover }),
  });
  return jobs.drive();
}
