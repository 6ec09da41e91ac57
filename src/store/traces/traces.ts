import { endOf } from '../../domain/attention';
import type { TraceOutcome, TraceRecord } from '../../domain/traces/search';
import { JobsOfKind } from '../core/jobs/jobs-of-kind';
import type { Store } from '../store';

/** Searches: what was asked for, what was told at the end. */
export class TraceRepository extends JobsOfKind<TraceRecord, TraceOutcome> {
  constructor(store: Store) {
    super(store, {
      root: 'traces/',
      start: ({ jobId: id }) => ({ id, kind: 'trace' }),
      end: (outcome) => ({ endedAt: outcome.settledAt, ...endOf('trace', outcome.status) }),
    });
  }
}
