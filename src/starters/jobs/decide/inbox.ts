import { inboxEntry, type ActionMeaning, type WaitReason } from '../../../domain/attention';
import type { ReachedBudget } from '../../../domain/core/budget';
import type { DecisionRecord } from '../../../domain/core/decision';
import type { JobKind } from '../../../domain/job';
import { decisionsOf } from '../../../store/core/jobs/inbox';
import type { JobFilter } from '../../../store/core/jobs/job-filter';
import type { CommandContext } from '../context';
import { namedJob } from '../named-job';
import { CommandError, noJob } from '../errors';

/** A job that needs attention: the reason, and the possible actions. */
export interface InboxItem {
  id: string;
  kind: JobKind;
  /** `waiting`: the job is open. */
  status: string;
  waitsFor: WaitReason | null;
  /** The budget that it waits for; null: none. */
  budget: ReachedBudget | null;
  /** ISO 8601. */
  since: string;
  why: string;
  actions: readonly ActionMeaning[];
  createdAt: string;
  /** The job's input. */
  input: unknown;
}

export interface InboxPage {
  items: InboxItem[];
  /** Cursor of the next page; null: this is the last. */
  next: string | null;
}

/** Jobs that need attention, newest first: a query of the store alone. */
export async function listInbox(
  { reader, store }: CommandContext,
  filter: Pick<JobFilter, 'kind' | 'waitingSince'>,
  { limit, after }: { limit: number; after?: string },
): Promise<InboxPage> {
  if (after !== undefined && (await store.jobs.get(after)) === null)
    throw new CommandError(noJob(after));
  const page = {
    sort: 'attention',
    limit: limit + 1,
    ...(after !== undefined && { after }),
  } as const;
  const rows = await store.jobs.list(filter, page);
  const items = rows.slice(0, limit).map((row) => {
    const { attentionAt, createdAt, id, input, kind, status, waitsAbout, waitsFor } = row;
    const about = {
      id,
      kind,
      since: attentionAt ?? '',
      createdAt,
      input,
      waitsFor,
      status: status ?? 'waiting',
    };
    const budget = typeof waitsAbout === 'number' ? null : waitsAbout;
    return { ...about, budget, ...inboxEntry(row, true, reader.say) };
  });
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/** One job, whether it needs attention or not. */
export interface InboxDetail {
  id: string;
  kind: JobKind;
  status: string;
  needsAttention: boolean;
  /** Null: it needs no attention. */
  why: string | null;
  /** The possible actions, also when it needs no attention. */
  actions: readonly ActionMeaning[];
  error: { code: string | null; message: string } | null;
  /** Resolutions of this job, in order. */
  decisions: Pick<DecisionRecord, 'action' | 'by' | 'at' | 'note'>[];
}

export async function inboxDetail(
  { reader, store }: CommandContext,
  name: string,
): Promise<InboxDetail> {
  const { id } = await namedJob(store, name, 'waiting');
  const job = await store.jobs.get(id);
  if (job === null) throw new CommandError(noJob(id));
  const { folder, kind, needsAttention, status, waitsFor } = job;
  const { why, actions } = inboxEntry(job, needsAttention, reader.say);
  const outcome = await store.jobs.outcome<{ error?: InboxDetail['error'] }>(folder);
  const decisions = (await decisionsOf(store, folder)).map(({ action, by, at, note }) => {
    return { action, by, at, note };
  });
  return {
    id,
    kind,
    status: status ?? (waitsFor === null ? 'open' : 'waiting'),
    needsAttention,
    why: needsAttention ? why : null,
    actions: status === null && waitsFor === null ? [] : actions,
    error: outcome?.error ?? null,
    decisions,
  };
}
