import { endOf } from '../../domain/attention';
import type { TraceOutcome, TraceRecord } from '../../domain/traces/search';
import { JobsOfKind } from '../core/jobs/jobs-of-kind';
import type { Store } from '../store';

/** Searches: inputs, responses and outcomes. */
export class TraceRepository extends JobsOfKind<TraceRecord, TraceOutcome> {
  constructor(store: Store) {
    super(store, {
      root: 'traces/',
      start: ({ jobId: id }) => ({ id, kind: 'trace' }),
      end: (outcome) => ({ endedAt: outcome.settledAt, ...endOf('trace', outcome.status) }),
    });
  }
}
