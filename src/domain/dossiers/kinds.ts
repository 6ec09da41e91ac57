import { failed, jobBatchOf, type Cells, type KindFacts } from '../core/kind';
import type { DossierStatus } from './follow';

const statuses: Cells<DossierStatus> = {
  completed: ['done', 'watch'],
  cancelled: ['done'],
  failed: ['failed', 'watch', 'retry'],
  refused: failed,
  needs_review: ['person', 'watch', 'accept'],
  expired: ['person', 'watch'],
};

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
