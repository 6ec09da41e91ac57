import type { WorkflowHandle } from '@temporalio/client';
import { said } from '../support/batch-orders';
import { queueName } from '../../src/domain/core/queues';
import { jobKinds, kindFacts, type JobKind } from '../../src/domain/job';
import { plainTerms } from '../../src/domain/monitors/sweep';
import { cancelUpdate } from '../../src/workflows/messages';
import { hour, workflowSuite } from '../support/workflow-environment';

const day = 24 * hour;
/** No worker takes its activities: it stands where it was cancelled. */
const queueSuffix = 'nobody';
const ref = { jobId: 'w/1', folder: 'f', outcomesIn: 'f', items: 1, dossierId: 'd' };
const job = { ref, attempt: 1, interactive: false, queueSuffix };
const certificates = {
  jobId: 'w',
  list: ref,
  concurrency: 1,
  terms: {
    reuseSince: 0,
    requestUntil: 8.64e15,
    rowDeadlineMs: day,
    onUnknown: 'report',
    interactive: false,
    queueSuffix,
  },
};
const record = {
  jobId: 'monitor-sweep/m/1',
  monitorId: 'm',
  terms: plainTerms,
  reconcile: false,
  createdAt: '2026-05-04T10:00:00.000Z',
  createdBy: 'ana',
};
const list = { name: 'l', edition: 'e', monitors: 1, pages: 1 };
const needed = { needs: [], required: false, deadlineMs: null };

/** Of each kind whose rows are no jobs: its workflow, and what that is started with. */
const workflows: Record<string, [workflow: string, input: object]> = {
  certificate: ['issueCertificate', certificates],
  'certificate-batch': ['certificateBatch', certificates],
  'credit-analysis': ['analyzeCredit', job],
  dossier: ['followDossier', { ...job, maxAttempts: 1, onReview: 'wait', toCancel: false }],
  lens: ['analyzeLens', job],
  profile: ['lookUpProfile', { ...job, retryRural: false }],
  trace: ['searchTrace', job],
  investigation: ['investigateSubject', { ...job, budget: null, steps: [{ id: 'a', ...needed }] }],
  'monitor-sweep': ['monitorSweep', { record, interactive: false, queueSuffix, carryover: null }],
  'monitor-scan': [
    'monitorScan',
    { list, by: 'ana', terms: plainTerms, jobId: null, queueSuffix, carryover: null },
  ],
};
const carryover = { after: -1, underWay: [], counts: {}, paused: false };
const rows = { batchId: 'b', folder: 'f', children: 1, concurrency: 1, deadlineMs: day };

/** A decision about a batch is on record before it can be cancelled. */
const kinds = jobKinds.filter((kind) => kind !== 'decision');

workflowSuite('a job that is cancelled twice', (rig) => {
  async function started(kind: JobKind, name: string): Promise<WorkflowHandle> {
    const [workflow, input] =
      kindFacts[kind].rows === undefined
        ? (workflows[kind] ?? ['', {}])
        : ['jobBatch', { kind, ...rows, carryover, queueSuffix }];
    const deadlineAt = (await rig().now()) + day;
    return rig().env.client.workflow.start(workflow, {
      workflowId: `${kind}-${name}-${rig().suffix}`,
      taskQueue: queueName('workflows', rig().suffix),
      args: [{ ...input, deadlineAt }],
    });
  }

  test.each(kinds)('%s: takes the one that asks for more, and repeats none', async (kind) => {
    const weakFirst = await started(kind, 'weak');
    const strongFirst = await started(kind, 'strong');
    const answers = async (handle: WorkflowHandle, orders: boolean[]): Promise<boolean[]> => {
      const taken: string[] = [];
      for (const now of orders) {
        const answer = handle.executeUpdate(cancelUpdate, { args: [{ now }] });
        taken.push(
          await answer.then(said, (error: { cause?: Error }) => error.cause?.message ?? ''),
        );
      }
      await handle.terminate();
      return taken.map((answer) => answer !== 'it is cancelled');
    };
    expect(await answers(weakFirst, [false, false, true, true])).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(await answers(strongFirst, [true, false])).toEqual([true, false]);
  });
});
