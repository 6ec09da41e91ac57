import { failed, jobBatchOf, type Cells, type KindFacts } from '../core/kind';

const statuses = {
  completed: ['done'],
  cancelled: ['done', 'watch'],
  failed,
  refused: ['failed', 'reissue'],
  expired: ['person', 'watch'],
  /** A request may have reached the service; which search it created is unknown. */
  unknown_outcome: ['person', 'watch', 'adopt', 'reissue', 'abandon'],
} satisfies Cells;
export type TraceStatus = keyof typeof statuses;

const service = 'investigation';

export const traceKinds = {
  trace: { service, statuses, root: 'traces', workflow: 'searchTrace' },
  'trace-batch': {
    service,
    statuses: jobBatchOf(statuses),
    rows: 'trace',
  },
} satisfies Record<string, KindFacts>;
