import { failed, jobBatchOf, type Cells, type KindFacts } from '../core/kind';
import { extractFolder, type ExtractStatus } from './extract';

const statuses: Cells<ExtractStatus> = {
  completed: ['done'],
  cancelled: ['done', 'watch'],
  failed,
  refused: ['failed', 'reissue'],
  expired: ['person', 'watch'],
  unknown_outcome: ['person', 'watch', 'adopt', 'reissue', 'abandon'],
};

const service = 'investigation';

export const extractKinds = {
  extract: { service, statuses, workflowParts: 2 },
  'extract-batch': {
    service,
    statuses: jobBatchOf(statuses),
    workflowParts: 2,
    rows: {
      kind: 'extract',
      workflow: 'requestExtract',
      queue: 'investigation',
      ref: (jobId) => ({ jobId, folder: extractFolder(jobId) }),
    },
  },
} satisfies Record<string, KindFacts>;
