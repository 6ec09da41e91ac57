import { BillingTotals, type BillingTotal } from '../../domain/core/service/billing-totals';
import type { JobBatchRecord } from '../../domain/core/job-batch';
import type { JobRow, JobWithOutcome } from '../../store/core/jobs/job-rows';
import { isCountedTwice } from '../../store/core/spending';
import { reportTimeZone } from '../../report/formats';
import type { CommandContext } from './context';
import { jobOfSender } from './named-job';
import type { Charge } from './job-kind';

export const spendingGroups = ['kind', 'label', 'actor', 'month'] as const;
export type SpendingGroup = (typeof spendingGroups)[number];

export interface Spending {
  /** Empty: jobs without a label, or erased. */
  group: string;
  /** Chargeable requests that were sent or may have been, refused ones included. */
  requested: number;
  refused: number;
  /** Requests whose response was lost or is pending. */
  unknown: number;
  /** Requests sent although an earlier one for the same subject may have been accepted. */
  possibleDoubleCharges: number;
  /** Batch rows with an existing result: no request was sent. */
  reused: number;
  /** As the service reported it; certificates and credit analyses report nothing. */
  billing: BillingTotal[];
}

type Sums = Omit<Spending, 'group' | 'billing'> & { totals: BillingTotals };

const month = new Intl.DateTimeFormat('sv-SE', {
  timeZone: reportTimeZone,
  year: 'numeric',
  month: '2-digit',
});

/** Requests since an instant, and their cost. @param chargesOf a job's purchases with reported billing */
export async function spendingSince(
  { store }: Pick<CommandContext, 'store'>,
  since: number,
  by: SpendingGroup,
  chargesOf: (job: JobWithOutcome) => readonly Charge[],
): Promise<Spending[]> {
  const groups = new Map<string, Sums>();
  const sumsOf = (job: JobRow | null, at: string | number, subject = ''): Sums => {
    const group = groupOf(by, job, at, subject);
    const sums = groups.get(group) ?? newSums();
    groups.set(group, sums);
    return sums;
  };
  for await (const page of store.spending.requests(since)) {
    const ids = new Set(page.map(({ workflowId }) => jobOfSender(workflowId)));
    const senders = await store.jobs.named([...ids]);
    for (const request of page) {
      const id = jobOfSender(request.workflowId);
      const at = new Date(request.claimedAt).toISOString();
      const sender = senders.get(id) ?? (await store.jobs.under(id, at));
      const sums = sumsOf(sender, request.claimedAt, request.subject);
      sums.requested += 1;
      if (request.receipt === 'refused') sums.refused += 1;
      if (request.receipt === null || request.receipt === 'unknown') sums.unknown += 1;
      if (isCountedTwice(request)) sums.possibleDoubleCharges += 1;
    }
  }
  const first = new Date(since).toISOString();
  const charged = new Set<string>();
  for await (const page of store.jobs.since(first)) {
    for (const job of page) {
      if (job.createdAt >= first) {
        const reused = reusedBy(job);
        if (reused > 0) sumsOf(job, job.createdAt).reused += reused;
      }
      if (job.outcome === null || job.endedAt === null || job.endedAt < first) continue;
      for (const { of, billing } of chargesOf(job)) {
        if (charged.has(of)) continue;
        charged.add(of);
        sumsOf(job, job.endedAt).totals.add(billing);
      }
    }
  }
  const named = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  return named.map(([group, { totals, ...counts }]) => {
    return { group, ...counts, billing: totals.all() };
  });
}

export function summed(groups: readonly Spending[]): Spending {
  const { totals, ...all } = newSums();
  for (const one of groups) {
    for (const name of Object.keys(all) as (keyof typeof all)[]) all[name] += one[name];
    for (const total of one.billing) totals.merge(total);
  }
  return { group: '', ...all, billing: totals.all() };
}

function newSums(): Sums {
  const counts = { requested: 0, refused: 0, unknown: 0, possibleDoubleCharges: 0, reused: 0 };
  return { ...counts, totals: new BillingTotals() };
}

function groupOf(
  by: SpendingGroup,
  job: JobRow | null,
  at: string | number,
  subject: string,
): string {
  if (by === 'month') return month.format(new Date(at));
  if (by === 'kind') return job?.kind ?? subject.split('/', 1)[0] ?? '';
  const input = (job?.input ?? {}) as { label?: string | null; createdBy?: string; by?: string };
  return (by === 'label' ? input.label : (input.createdBy ?? input.by)) ?? '';
}

/** Reused results: from the summary, else rows that a batch did not request. */
function reusedBy({ input, outcome }: JobWithOutcome): number {
  const { reused } = (outcome as { summary?: { reused?: number } } | null)?.summary ?? {};
  if (reused !== undefined) return reused;
  const { children, items } = input as Partial<JobBatchRecord>;
  return items === undefined || children === undefined ? 0 : items - children;
}
