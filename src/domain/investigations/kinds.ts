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
  investigation: { service, statuses, workflowParts: 2 },
  'investigation-batch': {
    service,
    statuses: jobBatchOf(statuses),
    workflowParts: 2,
    rows: {
      kind: 'investigation',
      workflow: 'investigateSubject',
      queue: 'investigation',
      ref: (jobId) => ({ jobId, folder: `batches/${jobId}` }),
      namesItself: true,
    },
  },
} satisfies Record<string, KindFacts>;
