import { endOf } from '../../domain/attention';
import type { ProfileOutcome, ProfileRecord } from '../../domain/profiles/lookup';
import { JobsOfKind } from '../core/jobs/jobs-of-kind';
import type { Store } from '../store';

/** Lookups of profiles: inputs, responses and outcomes. */
export class ProfileRepository extends JobsOfKind<ProfileRecord, ProfileOutcome> {
  constructor(store: Store) {
    super(store, {
      root: 'profiles/',
      start: ({ jobId: id }) => ({ id, kind: 'profile' }),
      end: (outcome) => ({ endedAt: outcome.settledAt, ...endOf('profile', outcome.status) }),
    });
  }
}
