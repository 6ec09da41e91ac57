import { failed, type Cells, type KindFacts } from '../core/kind';
import type { LensStatus } from './analyze';

const statuses: Cells<LensStatus> = {
  completed: ['done', 'watch'],
  cancelled: ['done', 'watch'],
  failed,
  refused: ['failed', 'reissue'],
  expired: ['person', 'watch'],
  unknown_outcome: ['person', 'watch', 'adopt', 'reissue', 'abandon'],
};

export const lensKinds = {
  lens: {
    service: 'investigation',
    statuses,
    root: 'lens',
    workflow: 'analyzeLens',
  },
} satisfies Record<string, KindFacts>;
