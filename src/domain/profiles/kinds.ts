import { failed, jobBatchOf, type Cells, type KindFacts } from '../core/kind';

const statuses = {
  found: ['done'],
  cancelled: ['done', 'reissue'],
  /** A 200 with only `erro`. */
  invalid: failed,
  not_found: failed,
  refused: ['failed', 'reissue'],
  /** Repeatedly answered with neither a profile nor a refusal. */
  unreadable: ['person', 'reissue', 'abandon'],
  unknown_outcome: ['person', 'reissue', 'abandon'],
  expired: ['person', 'reissue', 'abandon'],
} satisfies Cells;
export type ProfileStatus = keyof typeof statuses;

const service = 'investigation';

export const profileKinds = {
  profile: { service, statuses, root: 'profiles', workflow: 'lookUpProfile' },
  'profile-batch': {
    service,
    statuses: jobBatchOf(statuses),
    rows: 'profile',
  },
} satisfies Record<string, KindFacts>;
