import { failed, jobBatchOf, type Cells, type KindFacts } from '../core/kind';

const statuses = {
  completed: ['done', 'watch'],
  cancelled: ['done'],
  failed: ['failed', 'watch', 'retry'],
  /** Permanently: no such dossier, or a refused cancellation. */
  refused: failed,
  needs_review: ['person', 'watch', 'accept'],
  expired: ['person', 'watch'],
} satisfies Cells;
export type DossierStatus = keyof typeof statuses;

const service = 'investigation';

export const dossierKinds = {
  dossier: {
    service,
    statuses,
    root: 'dossiers',
    workflow: 'followDossier',
    namesItself: true,
  },
  'dossier-batch': {
    service,
    statuses: jobBatchOf({ ...statuses, followed: failed }),
    rows: 'dossier',
  },
} satisfies Record<string, KindFacts>;
