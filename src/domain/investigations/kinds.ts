import { jobBatchOf, type Cells, type KindFacts } from '../core/kind';

/** `incomplete`: a required step lacks its answer. */
export type InvestigationStatus = 'completed' | 'incomplete' | 'cancelled';

const statuses: Cells<InvestigationStatus> = {
  completed: ['done'],
  cancelled: ['done'],
  incomplete: ['person'],
};

const service = 'investigation';

export const investigationKinds = {
  investigation: {
    service,
    statuses,
    root: 'batches/investigation',
    workflow: 'investigateSubject',
    namesItself: true,
  },
  'investigation-batch': {
    service,
    statuses: jobBatchOf(statuses),
    rows: 'investigation',
  },
} satisfies Record<string, KindFacts>;
