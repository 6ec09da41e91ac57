import { failed, jobBatchOf, type Cells, type KindFacts } from '../core/kind';
import { profileFolder, type ProfileStatus } from './lookup';

const statuses: Cells<ProfileStatus> = {
  found: ['done'],
  cancelled: ['done', 'reissue'],
  invalid: failed,
  not_found: failed,
  refused: ['failed', 'reissue'],
  unreadable: ['person', 'reissue', 'abandon'],
  unknown_outcome: ['person', 'reissue', 'abandon'],
  expired: ['person', 'reissue', 'abandon'],
};

const service = 'investigation';

export const profileKinds = {
  profile: { service, statuses, workflowParts: 2 },
  'profile-batch': {
    service,
    statuses: jobBatchOf(statuses),
    workflowParts: 2,
    rows: {
      kind: 'profile',
      workflow: 'lookUpProfile',
      queue: 'investigation',
      ref: (jobId) => ({ jobId, folder: profileFolder(jobId) }),
    },
  },
} satisfies Record<string, KindFacts>;
