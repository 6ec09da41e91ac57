import { traceSubject } from '../../domain/core/service/attempts';
import type { TraceRecord } from '../../domain/traces/search';
import { CommandError } from '../jobs/errors';
import { singleResolver } from '../jobs/decide/resolve-single';

export const traceResolver = singleResolver<TraceRecord>({
  workflow: 'searchTrace',
  fence: async (_, { name }) => traceSubject(name),
  args: (_, { jobId }, folder) => ({ ref: { jobId, folder }, interactive: true }),
  async check({ store }, { id }, { name }, { externalId }) {
    const holder = externalId === null ? null : await store.attempts.holderOfTrace(externalId);
    if (holder !== null && holder !== traceSubject(name))
      throw new CommandError([
        `${id}: the search ${externalId} was made for another target`,
        `${id}: a busca ${externalId} foi feita para outro alvo`,
      ]);
  },
});
