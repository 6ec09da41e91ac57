import { endOf } from '../../domain/attention';
import type { ExtractOutcome, ExtractRecord } from '../../domain/extracts/extract';
import { JobsOfKind } from '../core/jobs/jobs-of-kind';
import type { Store } from '../store';

export class ExtractRepository extends JobsOfKind<ExtractRecord, ExtractOutcome> {
  constructor(store: Store) {
    super(store, {
      root: 'extracts/',
      start: ({ jobId: id }) => ({ id, kind: 'extract' }),
      end: ({ settledAt: endedAt, status }) => ({ endedAt, ...endOf('extract', status) }),
    });
  }
}
