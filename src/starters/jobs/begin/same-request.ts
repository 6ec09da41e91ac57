import type { StartDetails } from '../../../domain/audit-entries';
import type { JobInput } from '../../../domain/core/job-record';
import { jobFolder } from '../../../domain/job';
import { isOver, putSame, type SameRequest } from '../../../store/core/jobs/same-request';
import type { BatchRequest } from '../batches/request';
import type { CommandContext } from '../context';
import type { JobKind } from '../job-kind';
import type { StartTerms } from './request';
import { auditStart, isWithin, type StartPlan } from './start-job';

/** The plan of one job. @param details of its audit event; null: `put` writes it */
export async function planOne<Item, Input extends JobInput, Outcome>(
  ctx: CommandContext,
  same: SameRequest<Item, Input, Outcome>,
  item: Item,
  { deadline: deadlineMs, label, maxAge, rerun = false }: StartTerms,
  details: Partial<StartDetails> | null = {},
): Promise<StartPlan<Input, Outcome>> {
  const existing = await same.newest(item);
  const isAnswered = await isOver(same, existing);
  const isAnew = rerun || (isAnswered && !isWithin(maxAge, existing));
  return {
    existing,
    isAnswer: isAnswered && !isAnew,
    record: async () => {
      const terms = { label: label ?? null, deadlineMs, rerun };
      const again = isAnew ? (existing?.id ?? null) : null;
      const { jobId, createdAt } = await putSame(same, item, existing, { terms, again });
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
  same: SameRequest<string, Input, Outcome>,
  maxAge: number | undefined,
): Pick<BatchRequest, 'existing' | 'put'> {
  const termsOf = async (input: Input) => {
    const { jobId: id } = input;
    return { ...(await args?.(ctx, { id, folder: jobFolder(id), input }, false)) };
  };
  return {
    existing: async (item) => {
      const job = await same.newest(item);
      if (job === null) return null;
      const ended = job.outcome !== null;
      if (ended && !(isWithin(maxAge, job) && (await isOver(same, job)))) return null;
      return { jobId: job.id, ended, terms: ended ? {} : await termsOf(job.input) };
    },
    put: async (item, again) => {
      const terms = { label: null, rerun: again !== null };
      const input = await putSame(same, item, await same.newest(item), { terms, again });
      return { jobId: input.jobId, terms: await termsOf(input) };
    },
  };
}
