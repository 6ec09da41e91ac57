import { jobBatchOf, type Cells, type KindFacts } from '../core/kind';

const statuses = {
  completed: ['done'],
  cancelled: ['done', 'reissue', 'watch'],
  failed: ['failed', 'reissue'],
  refused: ['failed', 'reissue'],
  expired: ['person', 'watch', 'reissue', 'abandon'],
  unknown_outcome: ['person', 'watch', 'adopt', 'reissue', 'abandon'],
} satisfies Cells;
export type AnalysisStatus = keyof typeof statuses;

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
