import { inboxEntry } from '../../domain/attention';
import { normaliseDocument } from '../../domain/core/documents/read-document';
import type { JobKind } from '../../domain/job';
import { decisionsOf } from '../../store/core/jobs/inbox';
import type { JobFilter, JobPage } from '../../store/core/jobs/job-filter';
import type { JobRow, JobWithOutcome } from '../../store/core/jobs/job-rows';
import type { CommandContext } from './context';
import { CommandError, noJob } from './errors';

export interface ListQuery {
  kind?: JobKind | undefined;
  status?: string | undefined;
  since?: Date | undefined;
  subject?: string | undefined;
  label?: string | undefined;
  sort?: JobPage['sort'];
  limit: number;
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

type Describe = (row: JobRow) => string;

export async function listJobs(
  ctx: CommandContext,
  query: ListQuery,
  describe: Describe,
): Promise<Listed> {
  return pageOf(ctx, query, (row) => {
    const { id, kind, status, needsAttention, waitsFor, createdAt, endedAt } = row;
    const { createdBy, by } = row.input as { createdBy?: string; by?: string };
    const about = { id, kind, status, createdAt, endedAt, waitsFor, needsAttention };
    return { ...about, input: describe(row), createdBy: createdBy ?? by ?? '' };
  });
}

export type InboxItem = Awaited<ReturnType<typeof listInbox>>['jobs'][number];

export async function listInbox(
  ctx: CommandContext,
  query: Omit<ListQuery, 'sort'>,
  describe: Describe,
) {
  return pageOf(ctx, { ...query, sort: 'attention' }, (row) => {
    const { attentionAt, createdAt, id, kind, status, waitsAbout, waitsFor } = row;
    const about = { id, kind, since: attentionAt ?? '', createdAt, input: describe(row), waitsFor };
    return {
      ...about,
      /** `waiting`: the job is open. */
      status: status ?? 'waiting',
      /** That it waits for; null: none. */
      budget: typeof waitsAbout === 'number' ? null : waitsAbout,
      ...inboxEntry(row, true, ctx.reader.say),
    };
  });
}

async function pageOf<T extends { id: string }>(
  ctx: CommandContext,
  { after, limit, sort = 'created', ...query }: ListQuery,
  shown: (row: JobRow) => T,
): Promise<{ jobs: T[]; next: string | null }> {
  const { jobs } = ctx.store;
  if (after !== undefined && (await jobs.get(after)) === null) throw new CommandError(noJob(after));
  const page = { sort, limit: limit + 1, ...(after !== undefined && { after }) };
  const found = await jobs.list(filterOf(ctx, query, sort), page);
  const those = found.slice(0, limit).map(shown);
  return { jobs: those, next: found.length > limit ? (those.at(-1)?.id ?? null) : null };
}

function filterOf(
  { idKey }: CommandContext,
  { kind, label, since, status, subject }: Omit<ListQuery, 'after' | 'limit' | 'sort'>,
  sort: JobPage['sort'],
): JobFilter {
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  return {
    ...(kind !== undefined && { kind }),
    ...(status !== undefined && { status }),
    ...(since !== undefined && {
      [sort === 'attention' ? 'waitingSince' : 'since']: since.toISOString(),
    }),
    ...(subject !== undefined && {
      subjects: [...new Set([subject.trim(), normaliseDocument(subject)])].map(nameOf),
    }),
    ...(label !== undefined && { label: nameOf(label) }),
  };
}

export async function inboxDetail({ reader, store }: CommandContext, job: JobWithOutcome) {
  const { folder, id, kind, needsAttention, status, waitsFor } = job;
  const { why, actions } = inboxEntry(job, needsAttention, reader.say);
  const outcome = job.outcome as { error?: { code: string | null; message: string } } | null;
  return {
    id,
    kind,
    status: status ?? (waitsFor === null ? 'open' : 'waiting'),
    needsAttention,
    why: needsAttention ? why : null,
    /** The possible ones, also when it needs no attention. */
    actions: status === null && waitsFor === null ? [] : actions,
    error: outcome?.error ?? null,
    decisions: (await decisionsOf(store, folder)).map(({ action, by, at, note }) => {
      return { action, by, at, note };
    }),
  };
}
