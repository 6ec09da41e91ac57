import { AnalysisFile } from '../../store/credit/analyses';
import { CreditBatchShelf } from '../../store/credit/credit-batches';
import { analysisFolder } from '../../domain/credit/work';
import type { CreditDependencies } from '../dependencies';
import { createWorksOnFile } from '../core/works-on-file';

/** What a batch of analyses asks of the store. */
export function createCreditBatchActivities({ store, now }: CreditDependencies) {
  const analyses = new AnalysisFile(store);
  return createWorksOnFile({
    now,
    shelf: new CreditBatchShelf(store),
    statusOf: async (workId) => (await analyses.outcome(analysisFolder(workId)))?.status ?? null,
  });
}
