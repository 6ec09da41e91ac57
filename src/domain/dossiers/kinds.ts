import { failed, jobBatchOf, type Cells, type KindFacts } from '../core/kind';
import { dossierFolder, type DossierStatus } from './follow';

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
  dossier: { service, statuses, workflowParts: 2 },
  'dossier-batch': {
    service,
    statuses: jobBatchOf({ ...statuses, followed: failed }),
    workflowParts: 2,
    rows: {
      kind: 'dossier',
      workflow: 'followDossier',
      queue: 'investigation',
      ref: (jobId) => {
        const [, dossierId = ''] = jobId.split('/');
        return { jobId, folder: dossierFolder(jobId), dossierId };
      },
      namesItself: true,
    },
  },
} satisfies Record<string, KindFacts>;
