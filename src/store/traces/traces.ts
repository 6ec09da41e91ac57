import { endOf } from '../../domain/attention';
import { documentsIn } from '../../domain/core/documents/held-documents';
import { jobIdAt } from '../../domain/job';
import {
  isFinalSearch,
  traceManifest,
  type TraceOutcome,
  type TraceRecord,
  type TraceStrategy,
} from '../../domain/traces/search';
import { JobsOfKind, type Asker, type JobFolders, type JobShape } from '../core/jobs/jobs-of-kind';
import type { Found, SameRequest } from '../core/jobs/same-request';

export const traceJobs: JobFolders & JobShape<TraceOutcome> = {
  kind: 'trace',
  root: 'traces',
  word: 'trace',
  fence: 'trace',
  isReport: true,
  end: ({ settledAt: endedAt, status }) => ({ endedAt, ...endOf('trace', status) }),
};

export class TraceRepository extends JobsOfKind<TraceRecord, TraceOutcome> {
  protected override readonly shape = traceJobs;

  /** @param terms.before of the same order, whose key is repeated; null: another order */
  put(
    asker: Asker,
    { target, strategy }: Pick<TraceRecord, 'target' | 'strategy'>,
    terms: {
      label: string | null;
      deadlineMs?: number;
      rerun?: boolean;
      before?: { input: TraceRecord } | null;
      /** Names a new paid order: ordered twice at once, it is one. */
      anew?: string | null;
      at?: Date;
    },
  ): Promise<TraceRecord> {
    const { label, anew = null, before = null, deadlineMs, at = new Date() } = terms;
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

/** The same target and strategy are the same search. */
export function searches(
  asker: Asker,
  strategy: TraceStrategy | null,
): SameRequest<string, TraceRecord, TraceOutcome> {
  const { store, idKey } = asker;
  return {
    newest: async (target) => {
      const jobs = await store.jobs.about('trace', idKey.nameOf('document', target));
      const all = jobs as Found<TraceRecord, TraceOutcome>[];
      return (
        all.find(({ input }) => input.target === target && input.strategy === strategy) ?? null
      );
    },
    isFinal: isFinalSearch,
    put: (target, { terms, ...names }) =>
      new TraceRepository(store).put(asker, { target, strategy }, { ...terms, ...names }),
  };
}
