import { isTooLarge } from '../../apis/http/classify';
import type { ChangeFilter } from '../../apis/investigation/monitors';
import type { ListedChange } from '../../apis/investigation/wire/monitors.wire';
import { sumOfIds } from '../../apis/investigation/pages';
import type { PageSeen } from '../../domain/core/service/list-walk';
import { bySeverity, isOpen, type Change, type Severity } from '../../domain/monitors/change';
import type { SweepTerms } from '../../domain/monitors/sweep';
import { withRetries } from './with-retries';
import type { SweepContext } from './context';

/** Maximum page size (specification: "Limits"). */
export const pageSize = 100;
/** For large changes. */
const smallerSizes = [10, 1];

export type ListedItem = Extract<ListedChange, { kind: 'change' }>;

/** A page, each item classified by its own fields, regardless of the filter (decision record 017). */
export interface ListedPage extends PageSeen {
  items: readonly ListedChange[];
  /** Most severe first. */
  open: ListedItem[];
  acknowledged: ListedItem[];
  /** Open, of a severity that this sweep excludes. */
  unwanted: ListedItem[];
  unreadable: Extract<ListedChange, { kind: 'unreadable' }>[];
  /** As of a `PageReport`. */
  size: number | null;
}

/**
 * Lists one page; a smaller one when the response is too large.
 *
 * @param size that worked for an earlier page of the scan; null: none was too large
 */
export async function listPage(
  ctx: SweepContext,
  filter: Omit<ChangeFilter, 'pageSize'>,
  size: number | null,
): Promise<ListedPage> {
  const { monitors, ref, signal, terms } = ctx;
  const wanted = { ...filter, pageSize: size ?? pageSize };
  try {
    const page = await withRetries(
      () => monitors.listChanges(ref.monitorId, wanted, 'poll', signal),
      ctx,
    );
    return { ...page, ...sortItems(page.items, terms), size };
  } catch (error) {
    const smaller = smallerSizes.find((one) => one < wanted.pageSize);
    if (!isTooLarge(error) || smaller === undefined) throw error;
    return listPage(ctx, filter, smaller);
  }
}

/** The page of a cursor that leads nowhere. */
export function emptyPage(size: number | null): ListedPage {
  const end = { items: [], hasMore: false, nextCursor: null, size };
  return { ...end, ids: null, open: [], acknowledged: [], unwanted: [], unreadable: [] };
}

function sortItems(
  items: readonly ListedChange[],
  terms: SweepTerms,
): Omit<ListedPage, 'items' | 'hasMore' | 'nextCursor' | 'size'> {
  const changes = items.filter((item) => item.kind === 'change');
  const open = changes.filter(({ change }) => isOpen(change));
  return {
    ids: sumOfIds(changes.map(({ change }) => change.changeId)),
    open: open
      .filter(({ change }) => isWanted(change, terms))
      .sort((a, b) => bySeverity(a.change, b.change)),
    acknowledged: changes.filter(({ change }) => !isOpen(change)),
    unwanted: open.filter(({ change }) => !isWanted(change, terms)),
    unreadable: items.filter((item) => item.kind === 'unreadable'),
  };
}

/** An unknown severity may be severe. */
export function isWanted({ severity }: Change, { severities }: SweepTerms): boolean {
  return severities === null || severity === 'unknown' || severities.includes(severity);
}

/** Filter for the service: it takes one severity, or none. */
export function severityFilter({ severities }: SweepTerms): { severity?: Severity } {
  const [only, another] = severities ?? [];
  return only === undefined || another !== undefined ? {} : { severity: only };
}
