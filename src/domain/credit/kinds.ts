import { jobBatchOf, type Cells, type KindFacts } from '../core/kind';
import type { AnalysisStatus } from './job';

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
  'credit-analysis': {
    prefix: 'credit',
    service,
    statuses,
    root: 'analyses',
    workflow: 'analyzeCredit',
  },
  'credit-batch': {
    service,
    statuses: jobBatchOf(statuses),
    rows: 'credit-analysis',
  },
} satisfies Record<string, KindFacts>;
