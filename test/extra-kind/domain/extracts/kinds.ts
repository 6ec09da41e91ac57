import { failed, jobBatchOf, type Cells, type KindFacts } from '../core/kind';
import type { ExtractStatus } from './extract';

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
  extract: { service, statuses, root: 'extracts', workflow: 'requestExtract' },
  'extract-batch': {
    service,
    statuses: jobBatchOf(statuses),
    rows: 'extract',
  },
} satisfies Record<string, KindFacts>;
