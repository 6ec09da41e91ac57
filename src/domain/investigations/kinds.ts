import type { Cells, KindFacts } from '../core/kind';

/** `incomplete`: a required step lacks its answer. */
export type InvestigationStatus = 'completed' | 'incomplete' | 'cancelled';

const statuses: Cells<InvestigationStatus> = {
  completed: ['done'],
  cancelled: ['done'],
  incomplete: ['person'],
};

export const investigationKinds = {
  investigation: { service: 'investigation', statuses, workflowParts: 2 },
} satisfies Record<string, KindFacts>;
