import { BillingTotals, type BillingTotal } from '../../../domain/core/service/billing-totals';
import type { InvestigationOutcome, StepChild } from '../../../domain/investigations/investigation';
import type { SentRequests } from '../../../report/investigations/schema';
import type { JobWithOutcome } from '../../../store/core/jobs/job-rows';
import type { CommandContext } from '../../jobs/context';
import { requestsOf as requestsOfJob } from '../../jobs/envelope';
import { endedJob } from '../../jobs/find-job';
import type { Job } from '../../jobs/job-kind';
import { kindOf } from '../../kinds';

export interface ReportedJob {
  step: string;
  child: StepChild;
  job: JobWithOutcome;
}

type Spender = Omit<ReportedJob, 'step'>;

export async function reportedJobs(
  { store }: CommandContext,
  { steps }: InvestigationOutcome,
): Promise<ReportedJob[]> {
  const found = new Map<string, ReportedJob>();
  for (const { children, id: step } of steps)
    for (const child of children) {
      const job = await store.jobs.find(child.jobId);
      if (job !== null && job.outcome !== null && !found.has(job.id))
        found.set(job.id, { step, child, job });
    }
  return [...found.values()];
}

/** Cost of new requests: what was reused had been paid before. */
export async function costOf(
  ctx: CommandContext,
  jobs: readonly Spender[],
): Promise<BillingTotal[]> {
  const totals = new BillingTotals();
  for (const { child, job } of jobs) {
    if (child.before) continue;
    const cost = await kindOf(job.kind).cost?.(endedJob(job as Job), ctx);
    for (const one of cost ?? []) totals.merge(one);
  }
  return totals.all();
}

/** With these outcomes a job ended without a response; the service may still be working on its request. */
const withoutAnswer: ReadonlySet<string | null> = new Set([
  'cancelled',
  'expired',
  'unknown_outcome',
]);

export async function requestsOf(
  ctx: CommandContext,
  jobs: readonly Spender[],
): Promise<SentRequests> {
  const sum = { requested: 0, reused: 0, possibleDoubleCharges: 0, unanswered: 0 };
  for (const { child, job } of jobs) {
    if (child.before) {
      sum.reused += 1;
      continue;
    }
    const requests = await requestsOfJob(ctx, kindOf(job.kind), endedJob(job as Job));
    if (requests === null) continue;
    sum.requested += requests.requested;
    sum.reused += requests.reused;
    sum.possibleDoubleCharges += requests.possibleDoubleCharges;
    if (withoutAnswer.has(job.status)) sum.unanswered += requests.requested;
  }
  return sum;
}
