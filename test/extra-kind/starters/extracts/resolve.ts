import { extractSubject, type ExtractRecord } from '../../domain/extracts/extract';
import { singleResolver } from '../jobs/decide/resolve-single';

export const extractResolver = singleResolver<ExtractRecord>({
  workflow: 'requestExtract',
  fence: async (_, { name }) => extractSubject(name),
  args: (_, { jobId }, folder) => ({ ref: { jobId, folder }, interactive: true }),
});
