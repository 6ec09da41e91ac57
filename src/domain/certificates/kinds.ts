import { batchOf, done, failed, type Cells, type KindFacts } from '../core/kind';
import type { RowStatus } from './certificates';

const statuses: Cells<RowStatus> = {
  issued: done,
  duplicate: done,
  erased: done,
  cancelled: ['done', 'reissue', 'watch', 'adopt'],
  failed: ['failed', 'reissue', 'watch', 'abandon', 'adopt'],
  invalid: failed,
  unsupported: failed,
  expired: ['person', 'watch', 'reissue', 'abandon', 'adopt'],
  unknown_outcome: ['person', 'watch', 'adopt', 'reissue', 'abandon'],
};

const service = 'investigation';

export const certificateKinds = {
  certificate: {
    service,
    statuses,
    workflowParts: 3,
    root: 'works/certificate',
    workflow: 'issueCertificate',
  },
  'certificate-batch': {
    service,
    statuses: batchOf(statuses),
    workflowParts: Infinity,
    root: 'works/certificate-batch',
  },
  decision: {
    service,
    // The batch or issuance that it concerns shows what is left.
    statuses: {
      ...Object.fromEntries(Object.keys(statuses).map((status) => [status, done])),
      completed: done,
      refused: failed,
    },
  },
} satisfies Record<string, KindFacts>;
