import { lensSubject } from '../../domain/core/service/attempts';
import type { LensRecord } from '../../domain/lens/analyze';
import { LensRepository } from '../../store/lens/lens';
import { singleResolver } from '../jobs/decide/resolve-single';

export const lensResolver = singleResolver<LensRecord>({
  workflow: 'analyzeLens',
  fence: async ({ store }, { name }) =>
    lensSubject(name, (await new LensRepository(store).current(name)).attempt),
  args: async ({ store }, { name, jobId }, folder) => ({
    ref: { jobId, folder },
    attempt: (await new LensRepository(store).current(name)).attempt,
    interactive: true,
  }),
});
