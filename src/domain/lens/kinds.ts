import { failed, type Cells, type KindFacts } from '../core/kind';

const statuses = {
  completed: ['done', 'watch'],
  cancelled: ['done', 'watch'],
  failed,
  refused: ['failed', 'reissue'],
  /** At the deadline, by the service, or because no upload arrived in time. */
  expired: ['person', 'watch'],
  /** A request may have reached the service; which analysis it created is unknown. */
  unknown_outcome: ['person', 'watch', 'adopt', 'reissue', 'abandon'],
} satisfies Cells;
export type LensStatus = keyof typeof statuses;

export const lensKinds = {
  lens: {
    service: 'investigation',
    statuses,
    root: 'lens',
    workflow: 'analyzeLens',
  },
} satisfies Record<string, KindFacts>;
