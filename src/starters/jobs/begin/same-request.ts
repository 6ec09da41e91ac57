import type { StartDetails } from '../../../domain/audit-entries';
import type { JobInput } from '../../../domain/core/job-record';
import { jobFolder } from '../../../domain/job';
import type { BatchRequest } from '../batches/request';
import type { CommandContext } from '../context';
import type { Job, JobKind } from '../job-kind';
import { auditStart, isWithin, type StartPlan } from './start-job';

/** How a job is ordered. */
export interface Order<Found> {
  /** `deadlineMs` is left out for a row: that of its batch. */
  terms: { label: string | null; deadlineMs?: number; rerun: boolean };
  /** The newest job of the same request, whose purchase goes on; null: it is another one. */
  before: Found | null;
  /** Names another purchase of the same; null: the first. */
  anew: string | null;
}

/** Jobs of a kind by what they request. */
export interface SameRequest<Item, Input, Outcome> {
  /** The newest of the same request; null: there is none. */
  newest: (item: Item) => Promise<Job<Input, Outcome> | null>;
  /** Whether the outcome answers the request: the same again would bring nothing new. */
  isFinal: (outcome: Outcome, job: Job<Input, Outcome>) => boolean | Promise<boolean>;
  /** Stores a job, ready to start. */
  put: (item: Item, order: Order<Job<Input, Outcome>>) => Promise<Input>;
}

export interface StartTerms {
  deadline: number;
  label?: string | undefined;
  maxAge?: number | undefined;
  rerun?: boolean | undefined;
}

/** The plan of one job. @param details of its audit event; null: `put` writes it */
export async function planOne<Item, Input extends JobInput, Outcome>(
  ctx: CommandContext,
  { isFinal, newest, put }: SameRequest<Item, Input, Outcome>,
  item: Item,
  { deadline: deadlineMs, label, maxAge, rerun = false }: StartTerms,
  details: Partial<StartDetails> | null = {},
): Promise<StartPlan<Input, Outcome>> {
  const existing = await newest(item);
  const isOver = existing?.outcome != null && (await isFinal(existing.outcome, existing));
  const isAnew = rerun || (isOver && !isWithin(maxAge, existing));
  return {
    existing,
    isAnswer: isOver && !isAnew,
    record: async () => {
      const [before, anew] = isAnew ? [null, existing?.id ?? null] : [existing, null];
      const terms = { label: label ?? null, deadlineMs, rerun };
      const { jobId, createdAt } = await put(item, { terms, before, anew });
      const about = { items: 1, rerun: isAnew, ...details };
      if (details !== null) await auditStart(ctx, jobId, about, Date.parse(createdAt));
      return jobId;
    },
    run: deadlineMs,
  };
}

/** The jobs of a batch's rows. @param maxAge an answer that is older is requested anew */
export function rowsBy<Input extends JobInput, Outcome>(
  ctx: CommandContext,
  { args }: Pick<JobKind<Input, Outcome>, 'args'>,
  { isFinal, newest, put }: SameRequest<string, Input, Outcome>,
  maxAge: number | undefined,
): Pick<BatchRequest, 'existing' | 'put'> {
  const termsOf = async (input: Input) => {
    const { jobId: id } = input;
    return { ...(await args?.(ctx, { id, folder: jobFolder(id), input }, false)) };
  };
  const isOver = async (job: Job<Input, Outcome> | null): Promise<boolean> =>
    job?.outcome != null && (await isFinal(job.outcome, job));
  return {
    existing: async (item) => {
      const job = await newest(item);
      if (job === null) return null;
      const ended = job.outcome !== null;
      if (ended && !(isWithin(maxAge, job) && (await isOver(job)))) return null;
      return { jobId: job.id, ended, terms: ended ? {} : await termsOf(job.input) };
    },
    put: async (item, again) => {
      const found = await newest(item);
      const isAnew = again !== null || (await isOver(found));
      const terms = { label: null, rerun: again !== null };
      const [before, anew] = isAnew ? [null, again ?? found?.id ?? null] : [found, null];
      const input = await put(item, { terms, before, anew });
      return { jobId: input.jobId, terms: await termsOf(input) };
    },
  };
}
