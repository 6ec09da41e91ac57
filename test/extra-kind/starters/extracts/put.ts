import type { ExtractOutcome, ExtractRecord } from '../../domain/extracts/extract';
import { jobFolder, jobIdAt } from '../../domain/job';
import { indexDocuments } from '../../store/core/subject-index';
import { ExtractRepository } from '../../store/extracts/extracts';
import type { SameRequest } from '../../store/core/jobs/same-request';
import type { CommandContext } from '../jobs/context';
import type { Job } from '../jobs/job-kind';

export function extracts(ctx: CommandContext): SameRequest<string, ExtractRecord, ExtractOutcome> {
  const { environment, idKey, store } = ctx;
  const keyed = (text: string): string => idKey.nameOf('document', text);
  return {
    newest: async (document) => {
      const [job = null] = await store.jobs.about('extract', keyed(document));
      return job as Job<ExtractRecord, ExtractOutcome> | null;
    },
    isFinal: ({ status }) => status === 'completed',
    async put(document, { anew, terms }) {
      const now = new Date();
      const name = idKey.nameOf('manifest', JSON.stringify(['extract', document, anew]));
      const jobId = jobIdAt(`extract/${name}`, now);
      const about = { jobId, name, documentName: keyed(document), document };
      const [createdAt, createdBy] = [now.toISOString(), environment.actor];
      const record = { ...about, ...terms, createdAt, createdBy };
      const folder = jobFolder(jobId);
      await indexDocuments(store, folder, keyed, [document]);
      await new ExtractRepository(store).putRecord(
        folder,
        record,
        terms.label && keyed(terms.label),
      );
      return record;
    },
  };
}
