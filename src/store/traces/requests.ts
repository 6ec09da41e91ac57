import { documentsIn } from '../../domain/core/documents/held-documents';
import {
  traceFolder,
  traceManifest,
  traceWorkflowId,
  type TraceOutcome,
  type TraceRecord,
} from '../../domain/traces/search';
import type { TraceStrategy } from '../../domain/traces/trace';
import { jobIdAt } from '../../domain/job';
import type { Asker } from '../core/asker';
import type { JobWithOutcome } from '../core/jobs/job-rows';
import { indexDocuments } from '../core/subject-index';
import { TraceRepository } from './traces';

/** Identity of a search. */
export interface TraceRequest {
  target: string;
  strategy: TraceStrategy | null;
}

export type TraceJob = JobWithOutcome & { input: TraceRecord; outcome: TraceOutcome | null };

/** The newest search of the same target, of any order. */
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

/**
 * Stores the request; afterwards it can be started.
 *
 * @param before of the same order, whose key is repeated; null: another order
 */
export async function putTrace(
  { store, environment, idKey }: Asker,
  { target, strategy }: TraceRequest,
  terms: {
    label: string | null;
    deadlineMs?: number;
    before?: TraceJob | null;
    /** Names a new paid order: ordered twice at once, it is one. */
    rerun?: string | null;
    now?: Date;
  },
): Promise<TraceRecord> {
  const { label, before = null, rerun = null, deadlineMs, now = new Date() } = terms;
  const name =
    before?.input.name ?? idKey.nameOf('manifest', traceManifest(target, strategy, rerun));
  const jobId = jobIdAt(traceWorkflowId(name), now);
  const folder = traceFolder(jobId);
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  const record: TraceRecord = {
    jobId,
    name,
    targetName: nameOf(target),
    target,
    strategy,
    label,
    ...(rerun !== null && { rerun: true }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    createdAt: now.toISOString(),
    createdBy: environment.actor,
  };
  // The target's own name too: an erasure searches by it.
  const held = [target, ...documentsIn(`${target} ${label ?? ''}`)];
  await indexDocuments(store, folder, nameOf, held);
  await new TraceRepository(store).putRecord(folder, record, label && nameOf(label));
  return record;
}
