import { failed, jobBatchOf, type Cells, type KindFacts } from '../core/kind';
import type { TraceStatus } from './search';

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
  trace: { service, statuses, root: 'traces', workflow: 'searchTrace' },
  'trace-batch': {
    service,
    statuses: jobBatchOf(statuses),
    rows: 'trace',
  },
} satisfies Record<string, KindFacts>;
