import { endOf } from '../../domain/attention';
import { jobIdAt } from '../../domain/job';
import {
  profileIsFinal,
  type ProfileOutcome,
  type ProfileRecord,
} from '../../domain/profiles/lookup';
import { JobsOfKind, type Asker, type JobFolders, type JobShape } from '../core/jobs/jobs-of-kind';
import type { Found, SameRequest } from '../core/jobs/same-request';

export const profileJobs: JobFolders & JobShape<ProfileOutcome> = {
  kind: 'profile',
  root: 'profiles',
  word: 'profile',
  fence: 'profile',
  isReport: true,
  end: ({ settledAt: endedAt, status }) => ({ endedAt, ...endOf('profile', status) }),
};

export class ProfileRepository extends JobsOfKind<ProfileRecord, ProfileOutcome> {
  protected override readonly shape = profileJobs;

  /** Stores the request; afterwards it can be started. */
  put(
    asker: Asker,
    request: Omit<ProfileRecord, 'jobId' | 'createdAt' | 'createdBy'>,
    at = new Date(),
  ): Promise<ProfileRecord> {
    const jobId = jobIdAt(`profile/${request.name}`, at);
    return this.request(asker, { jobId, ...request }, [request.name], at);
  }
}

export function lookups(
  asker: Asker,
  retryRural = false,
): SameRequest<string, ProfileRecord, ProfileOutcome> {
  const { idKey, store } = asker;
  const nameOf = (cpf: string): string => idKey.nameOf('document', cpf);
  return {
    newest: async (cpf) => {
      const [newest = null] = await store.jobs.about('profile', nameOf(cpf));
      return newest as Found<ProfileRecord, ProfileOutcome> | null;
    },
    isFinal: (outcome) => profileIsFinal(outcome, retryRural),
    put: (cpf, { terms, at }) =>
      new ProfileRepository(store).put(asker, { cpf, name: nameOf(cpf), retryRural, ...terms }, at),
  };
}
