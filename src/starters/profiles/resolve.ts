import { profileSubject } from '../../domain/core/service/attempts';
import type { ProfileRecord } from '../../domain/profiles/lookup';
import { singleResolver } from '../jobs/decide/resolve-single';

export const profileResolver = singleResolver<ProfileRecord>({
  workflow: 'lookUpProfile',
  fence: async (_, { name }) => profileSubject(name),
  args: (_, { retryRural, jobId }, folder) => ({ ref: { jobId, folder }, retryRural }),
});
