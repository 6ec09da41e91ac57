import { failed, jobBatchOf, type Cells, type KindFacts } from '../core/kind';
import type { ProfileStatus } from './lookup';

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
  profile: { service, statuses, root: 'profiles', workflow: 'lookUpProfile' },
  'profile-batch': {
    service,
    statuses: jobBatchOf(statuses),
    rows: 'profile',
  },
} satisfies Record<string, KindFacts>;
