import { normaliseDocument } from '../../domain/core/documents/read-document';
import type { JobKind } from '../../domain/job';
import type { JobFilter, JobPage } from '../../store/core/jobs/job-filter';
import type { JobRow } from '../../store/core/jobs/job-rows';
import type { CommandContext } from './context';
import { CommandError, noJob } from './errors';

/** Filters, as the user wrote them. */
export interface ListQuery extends Omit<JobPage, 'after'> {
  kind?: JobKind | undefined;
  status?: string | undefined;
  since?: Date | undefined;
  subject?: string | undefined;
  label?: string | undefined;
  after?: string | undefined;
}

export interface ListedJob extends Pick<
  JobRow,
  'id' | 'kind' | 'status' | 'needsAttention' | 'waitsFor' | 'createdAt' | 'endedAt'
> {
  /** Its subject, masked. */
  input: string;
  createdBy: string;
}

export interface Listed {
  jobs: ListedJob[];
  /** Cursor of the next page; null: this is the last. */
  next: string | null;
}

/**
 * Lists jobs of the store.
 *
 * @throws CommandError when the cursor names no job
 */
export async function listJobs(
  ctx: CommandContext,
  { after, limit, sort, ...query }: ListQuery,
  describe: (row: JobRow) => string,
): Promise<Listed> {
  if (after !== undefined && (await ctx.store.jobs.get(after)) === null)
    throw new CommandError(noJob(after));
  const page = { sort, limit: limit + 1, ...(after !== undefined && { after }) };
  const found = await ctx.store.jobs.list(filterOf(ctx, query), page);
  const jobs = found.slice(0, limit).map((one) => {
    const { id, kind, status, needsAttention, waitsFor, createdAt, endedAt } = one;
    const { createdBy, by } = one.input as { createdBy?: string; by?: string };
    const about = { id, kind, status, createdAt, endedAt, waitsFor, needsAttention };
    return { ...about, input: describe(one), createdBy: createdBy ?? by ?? '' };
  });
  return { jobs, next: found.length > limit ? (jobs.at(-1)?.id ?? null) : null };
}

function filterOf(
  { idKey }: CommandContext,
  { kind, label, since, status, subject }: Omit<ListQuery, 'after' | 'limit' | 'sort'>,
): JobFilter {
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  return {
    ...(kind !== undefined && { kind }),
    ...(status !== undefined && { status }),
    ...(since !== undefined && { since: since.toISOString() }),
    ...(subject !== undefined && {
      subjects: [...new Set([subject.trim(), normaliseDocument(subject)])].map(nameOf),
    }),
    ...(label !== undefined && { label: nameOf(label) }),
  };
}
