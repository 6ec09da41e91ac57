import type { JobWithOutcome } from './job-rows';

export type Found<Input, Outcome> = Omit<JobWithOutcome, 'attentionAt' | 'waitsAbout' | 'label'> & {
  input: Input;
  outcome: Outcome | null;
};

export interface Order<Job> {
  /** `deadlineMs` is left out for a row: that of its batch. */
  terms: { label: string | null; deadlineMs?: number; rerun: boolean };
  /** The newest job of the same request, whose purchase goes on; null: it is another one. */
  before: Job | null;
  /** Names another purchase of the same; null: the first. */
  anew: string | null;
  /** Default: now. */
  at?: Date;
}

export interface SameRequest<Item, Input, Outcome> {
  /** The newest of the same request; null: there is none. */
  newest(item: Item): Promise<Found<Input, Outcome> | null>;
  /** Whether the outcome answers the request: the same again would bring nothing new. */
  isFinal(outcome: Outcome, job: Found<Input, Outcome>): boolean | Promise<boolean>;
  put(item: Item, order: Order<Found<Input, Outcome>>): Promise<Input>;
}

export async function isOver<Item, Input, Outcome>(
  same: SameRequest<Item, Input, Outcome>,
  job: Found<Input, Outcome> | null,
): Promise<boolean> {
  return job?.outcome != null && (await same.isFinal(job.outcome, job));
}

/** The purchase of the newest job goes on, unless that is over. @param again names another one */
export async function putSame<Item, Input, Outcome>(
  same: SameRequest<Item, Input, Outcome>,
  item: Item,
  newest: Found<Input, Outcome> | null,
  how: Pick<Order<unknown>, 'terms' | 'at'> & { again: string | null },
): Promise<Input> {
  const { again, ...order } = how;
  const isAnew = again !== null || (await isOver(same, newest));
  const [before, anew] = isAnew ? [null, again ?? newest?.id ?? null] : [newest, null];
  return same.put(item, { ...order, before, anew });
}
