import { isTooLarge } from '../../apis/http/classify';
import type { ChangeFilter } from '../../apis/investigation/monitors';
import type { ListedChange } from '../../apis/investigation/wire/monitors.wire';
import { sumOfIds } from '../../apis/investigation/pages';
import type { PageSeen } from '../../domain/core/service/list-walk';
import { bySeverity, isOpen, type Change, type Severity } from '../../domain/monitors/change';
import type { SweepTerms } from '../../domain/monitors/sweep';
import { withRetries } from './with-retries';
import type { SweepContext } from './context';

/** The most that a page may hold (specification: "Limits"). */
export const pageSize = 100;
/** Of changes that are large: fewer at once. */
const smallerSizes = [10, 1];

export type ListedItem = Extract<ListedChange, { kind: 'change' }>;

/** A page, every item by its own fields, whatever was asked for (decision record 017). */
export interface ListedPage extends PageSeen {
  items: readonly ListedChange[];
  /** Gravest first. */
  open: ListedItem[];
  acknowledged: ListedItem[];
  /** Open, of a severity that this sweep is not about. */
  unwanted: ListedItem[];
  unreadable: Extract<ListedChange, { kind: 'unreadable' }>[];
  /** As of a `PageReport`. */
  size: number | null;
}

/**
 * Lists one page; of fewer items when the answer is larger than we take.
 *
 * @param size that an earlier page of the walk could be had with; null: none was too large
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

/** What a cursor holds that leads nowhere. */
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

/** One of a severity that we do not know may be grave. */
export function isWanted({ severity }: Change, { severities }: SweepTerms): boolean {
  return severities === null || severity === 'unknown' || severities.includes(severity);
}

/** What the service is asked for: it takes one severity, or none. */
export function severityFilter({ severities }: SweepTerms): { severity?: Severity } {
  const [only, another] = severities ?? [];
  return only === undefined || another !== undefined ? {} : { severity: only };
}
