import { jobBatchOf, type Cells, type KindFacts } from '../core/kind';
import { analysisFolder, type AnalysisStatus } from './job';

const statuses: Cells<AnalysisStatus> = {
  completed: ['done'],
  cancelled: ['done', 'reissue', 'watch'],
  failed: ['failed', 'reissue'],
  refused: ['failed', 'reissue'],
  expired: ['person', 'watch', 'reissue', 'abandon'],
  unknown_outcome: ['person', 'watch', 'adopt', 'reissue', 'abandon'],
};

const service = 'credit';

export const creditKinds = {
  'credit-analysis': { prefix: 'credit', service, statuses, workflowParts: 2 },
  'credit-batch': {
    service,
    statuses: jobBatchOf(statuses),
    workflowParts: 2,
    rows: {
      kind: 'credit-analysis',
      workflow: 'analyzeCredit',
      queue: 'credit',
      ref: (jobId) => ({ jobId, folder: analysisFolder(jobId) }),
    },
  },
} satisfies Record<string, KindFacts>;
