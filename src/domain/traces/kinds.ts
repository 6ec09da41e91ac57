import { failed, jobBatchOf, type Cells, type KindFacts } from '../core/kind';
import { traceFolder, type TraceStatus } from './search';

const statuses: Cells<TraceStatus> = {
  completed: ['done'],
  cancelled: ['done', 'watch'],
  failed,
  refused: ['failed', 'reissue'],
  expired: ['person', 'watch'],
  unknown_outcome: ['person', 'watch', 'adopt', 'reissue', 'abandon'],
};

const service = 'investigation';

export const traceKinds = {
  trace: { service, statuses, workflowParts: 2 },
  'trace-batch': {
    service,
    statuses: jobBatchOf(statuses),
    workflowParts: 2,
    rows: {
      kind: 'trace',
      workflow: 'searchTrace',
      queue: 'investigation',
      ref: (jobId) => ({ jobId, folder: traceFolder(jobId) }),
    },
  },
} satisfies Record<string, KindFacts>;
