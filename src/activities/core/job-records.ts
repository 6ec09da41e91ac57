import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { ClaimOwner } from '../../domain/core/service/attempts';
import type { JobsOfKind } from '../../store/core/jobs/jobs-of-kind';
import type { AuditEntry } from '../../domain/core/audit';
import type { OutcomeFields } from '../../domain/core/job-record';
import type { JobKind } from '../../domain/job';
import type { Count } from '../counters';
import { storeIncomplete } from './failures';

/** @throws ApplicationFailure when the job is not there */
export async function recordOf<I extends { jobId: string; createdAt: string }, O extends object>(
  jobs: JobsOfKind<I, O>,
  { folder }: { folder: string },
): Promise<I> {
  const record = await jobs.record(folder);
  if (record === null) throw storeIncomplete('the input of the job');
  return record;
}

/** Stores the outcome with its audit entries. Idempotent: the first stored outcome stays, and is counted once. */
export async function storeOutcome<
  I extends { jobId: string; createdAt: string },
  O extends OutcomeFields,
>(
  { metrics }: { metrics: { count: Count } },
  kind: JobKind,
  jobs: JobsOfKind<I, O>,
  { folder }: { folder: string },
  outcome: O,
  entries: AuditEntry[],
): Promise<O> {
  const first = await jobs.putOutcome(folder, outcome, entries);
  if (first === outcome) metrics.count('diligence_outcomes_total', { kind, status: first.status });
  return first;
}

export function sha256Of(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}

/** Owner of the claims of a chunk of the workflow that called the activity. */
export function chunkOwner(chunk: string): ClaimOwner {
  return { workflowId: Context.current().info.workflowExecution?.workflowId ?? '', chunk };
}
