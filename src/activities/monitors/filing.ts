import type { ListedChange } from '../../apis/investigation/monitors.wire';
import { BrokenSealError } from '../../protection/key-ring';
import type { ChangeFile, FoundAs, SweepMark, ToldChange } from '../../domain/monitors/kept';
import type { SweepRef } from '../../domain/monitors/sweep';
import type { ChangeRepository } from '../../store/monitors/changes';
import type { UnreadableItemRepository } from '../../store/monitors/unreadable-items';
import type { MonitorDependencies } from '../dependencies';

/** What a page tells, filed, each change once; those of it that cannot be are left out. */
export interface FiledPage<Told extends ToldChange> {
  files: { told: Told; file: ChangeFile }[];
  /** Not to be filed, or not to be read back: nothing more is done with them. */
  broken: Told[];
}

/**
 * Files the changes of a page. One whose objects cannot be written or read costs the others nothing.
 *
 * @throws what the store throws when it fails as a whole
 */
export async function fileAll<Told extends ToldChange>(
  changes: ChangeRepository,
  monitorId: string,
  told: readonly Told[],
  by: SweepMark & { foundAs: FoundAs },
): Promise<FiledPage<Told>> {
  const page: FiledPage<Told> = { files: [], broken: [] };
  const file = async (some: readonly Told[]): Promise<void> => {
    try {
      const files = await changes.file(monitorId, some, by);
      for (const [place, one] of some.entries()) {
        page.files.push({ told: one, file: files[place] as ChangeFile });
      }
    } catch (error) {
      if (!isOfOneObject(error)) throw error;
      // Each by itself: which of them it is, the error does not say.
      if (some.length === 1) page.broken.push(...some);
      else for (const one of some) await file([one]);
    }
  };
  await file(distinct(told));
  return page;
}

/**
 * Keeps items of a list that are no changes as far as they can be read. They stay on the list, sweep
 * after sweep, until a person looks.
 */
export async function fileUnreadable(
  unreadable: UnreadableItemRepository,
  { monitorId, sweep }: SweepRef,
  items: readonly Extract<ListedChange, { kind: 'unreadable' }>[],
  { metrics, escalateAfter, now, warn }: MonitorDependencies,
): Promise<{ count: number; escalated: number }> {
  const by = { sweep, at: new Date(now()).toISOString() };
  const counts = await unreadable.put(monitorId, items, by);
  for (const [place, { issues }] of items.entries()) {
    if ((counts[place] ?? 1) > 1) continue;
    const [first] = issues;
    const what = { path: first?.path ?? null, code: first?.code ?? null };
    warn('an item of a list is no change as far as it can be read', {
      monitor: monitorId,
      ...what,
    });
  }
  metrics.changesUnreadable(items.length);
  const escalated = counts.filter((count) => count >= escalateAfter).length;
  return { count: items.length, escalated };
}

/** The same id twice is the same change: the first stands. */
function distinct<Told extends ToldChange>(told: readonly Told[]): Told[] {
  const ids = new Set<string>();
  return told.filter(({ change: { changeId } }) => {
    const isFirst = !ids.has(changeId);
    ids.add(changeId);
    return isFirst;
  });
}

/** A row that is spoilt, or that cannot be written: not the disk as a whole. */
export function isOfOneObject(error: unknown): boolean {
  if (error instanceof SyntaxError || error instanceof RangeError) return true;
  return error instanceof BrokenSealError;
}
