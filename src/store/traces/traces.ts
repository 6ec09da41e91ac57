import { endOf } from '../../domain/attention';
import { documentsIn } from '../../domain/core/documents/held-documents';
import { jobIdAt } from '../../domain/job';
import {
  traceManifest,
  type TraceOutcome,
  type TraceRecord,
  type TraceStrategy,
} from '../../domain/traces/search';
import type { JobWithOutcome } from '../core/jobs/job-rows';
import { JobsOfKind, type Asker, type JobFolders, type JobShape } from '../core/jobs/jobs-of-kind';
import type { Store } from '../store';

export const traceJobs: JobFolders & JobShape<TraceOutcome> = {
  kind: 'trace',
  root: 'traces',
  word: 'trace',
  fence: 'trace',
  isReport: true,
  end: ({ settledAt: endedAt, status }) => ({ endedAt, ...endOf('trace', status) }),
};

export interface TraceRequest {
  target: string;
  strategy: TraceStrategy | null;
}

export type TraceJob = JobWithOutcome & { input: TraceRecord; outcome: TraceOutcome | null };

export class TraceRepository extends JobsOfKind<TraceRecord, TraceOutcome> {
  constructor(store: Store) {
    super(store, traceJobs);
  }

  /** @param terms.before of the same order, whose key is repeated; null: another order */
  put(
    asker: Asker,
    { target, strategy }: TraceRequest,
    terms: {
      label: string | null;
      deadlineMs?: number;
      rerun?: boolean;
      before?: Pick<TraceJob, 'input'> | null;
      /** Names a new paid order: ordered twice at once, it is one. */
      anew?: string | null;
      now?: Date;
    },
  ): Promise<TraceRecord> {
    const { label, anew = null, before = null, deadlineMs, now: at = new Date() } = terms;
    const manifest = traceManifest(target, strategy, anew);
    const name = before?.input.name ?? asker.idKey.nameOf('manifest', manifest);
    const jobId = jobIdAt(`trace/${name}`, at);
    const nameOf = (text: string): string => asker.idKey.nameOf('document', text);
    const request = {
      jobId,
      name,
      targetName: nameOf(target),
      target,
      strategy,
      label,
      ...((anew !== null || terms.rerun === true) && { rerun: true }),
      ...(deadlineMs !== undefined && { deadlineMs }),
    };
    // The target's own name too: an erasure searches by it.
    const held = [target, ...documentsIn(`${target} ${label ?? ''}`)].map(nameOf);
    return this.request(asker, request, held, at);
  }
}

export async function newestTrace(
  { store, idKey }: Pick<Asker, 'store' | 'idKey'>,
  { target, strategy }: TraceRequest,
): Promise<TraceJob | null> {
  const jobs = await store.jobs.about('trace', idKey.nameOf('document', target));
  const same = jobs.find(({ input }) => {
    const request = input as TraceRecord;
    return request.target === target && request.strategy === strategy;
  });
  return (same as TraceJob | undefined) ?? null;
}
