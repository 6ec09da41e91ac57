import { endOf } from '../../domain/attention';
import type { ExtractOutcome, ExtractRecord } from '../../domain/extracts/extract';
import { JobsOfKind, type JobFolders, type JobShape } from '../core/jobs/jobs-of-kind';

export const extractJobs: JobFolders & JobShape<ExtractOutcome> = {
  kind: 'extract',
  root: 'extracts',
  word: 'extract',
  fence: 'extract',
  goesWhole: true,
  end: ({ settledAt: endedAt, status }) => ({ endedAt, ...endOf('extract', status) }),
};

export class ExtractRepository extends JobsOfKind<ExtractRecord, ExtractOutcome> {
  protected override readonly shape = extractJobs;
}
