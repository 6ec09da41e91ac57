import { isTooLarge } from '../../apis/http/classify';
import type { ChangeFilter } from '../../apis/investigation/monitors';
import type { ChangePage, ListedChange } from '../../apis/investigation/monitors.wire';
import { sumOfIds } from '../../apis/investigation/pages';
import type { PageSeen } from '../../domain/core/list-walk';
import type { MonitorDependencies } from '../dependencies';
import { withRetries } from '../core/with-retries';

/** The most that a page may hold (specification: "Limits"). */
export const pageSize = 100;
/** Of changes that are large: fewer at once. */
const smallerSizes = [10, 1];

/** A page as it came. `size` as of a `PageReport`. */
export interface ListedPage extends PageSeen {
  items: ListedChange[];
  size: number | null;
}

/** What a cursor holds that leads nowhere. */
export const noPage: ListedPage = {
  items: [],
  hasMore: false,
  nextCursor: null,
  ids: null,
  size: null,
};

/**
 * Lists one page; of fewer items when the answer is larger than we take.
 *
 * @param size that an earlier page of the walk could be had with; null: none was too large
 */
export async function listPage(
  { monitors, random }: Pick<MonitorDependencies, 'monitors' | 'random'>,
  monitorId: string,
  filter: Omit<ChangeFilter, 'pageSize'>,
  size: number | null,
  signal: AbortSignal,
): Promise<ListedPage> {
  const wanted = { ...filter, pageSize: size ?? pageSize };
  const call = (): Promise<ChangePage> => monitors.listChanges(monitorId, wanted, 'poll', signal);
  try {
    const page = await withRetries(call, { random, signal });
    return { ...page, size, ids: idsOf(page.items) };
  } catch (error) {
    const smaller = smallerSizes.find((one) => one < wanted.pageSize);
    if (!isTooLarge(error) || smaller === undefined) throw error;
    return listPage({ monitors, random }, monitorId, filter, smaller, signal);
  }
}

function idsOf(items: readonly ListedChange[]): string | null {
  return sumOfIds(items.flatMap((item) => (item.kind === 'change' ? [item.change.changeId] : [])));
}
