import { AnalysisFile } from '../archive/analyses';
import { CreditBatchShelf } from '../archive/credit-batches';
import { analysisFolder } from '../domain/credit/work';
import type { CreditDependencies } from './dependencies';
import { createWorksOnFile } from './works-on-file';

/** What a batch of analyses asks of the archive. */
export function createCreditBatchActivities({ archive, now }: CreditDependencies) {
  const analyses = new AnalysisFile(archive);
  return createWorksOnFile({
    now,
    shelf: new CreditBatchShelf(archive),
    statusOf: async (workId) => (await analyses.outcome(analysisFolder(workId)))?.status ?? null,
  });
}
