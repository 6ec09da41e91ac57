import { BrokenSealError } from '../../protection/key-ring';
import type { ChangeFile, FoundAs } from '../../domain/monitors/stored';
import { markNow, type SweepContext } from './context';
import type { ListedItem, ListedPage } from './list-page';

/** A change as listed, and as stored. */
export interface RecordedChange {
  reported: ListedItem;
  file: ChangeFile;
}

/**
 * Records the changes of a page, each once. One that cannot be written or read back is recorded as unreadable
 * and does not affect the others.
 *
 * @throws errors of the whole store
 */
export async function recordChanges(
  ctx: SweepContext,
  reported: readonly ListedItem[],
  foundAs: FoundAs,
): Promise<RecordedChange[]> {
  const recorded: RecordedChange[] = [];
  const record = async (some: readonly ListedItem[]): Promise<void> => {
    try {
      const by = { ...markNow(ctx), foundAs };
      const files = await ctx.records.changes.file(ctx.ref.monitorId, some, by);
      for (const [index, one] of some.entries()) {
        recorded.push({ reported: one, file: files[index] as ChangeFile });
      }
    } catch (error) {
      if (!isOfOneRow(error)) throw error;
      // One by one: the error does not name the corrupt one.
      const [only, another] = some;
      if (only !== undefined && another === undefined) await recordCorrupt(ctx, only);
      else for (const one of some) await record([one]);
    }
  };
  // The same id is the same change: the first stays.
  const ids = reported.map(({ change }) => change.changeId);
  await record(reported.filter(({ change }, index) => ids.indexOf(change.changeId) === index));
  ctx.metrics.count(
    'diligence_changes_total',
    { event: 'stored' },
    recorded.filter(({ file }) => file.isNew).length,
  );
  return recorded;
}

/** Marks a change that its own row cannot hold: no later sweep can help. */
export const corruptWord = 'cannot be stored or read back';

async function recordCorrupt(
  { ref, records, warn, now }: SweepContext,
  { answer }: ListedItem,
): Promise<void> {
  warn(`a change ${corruptWord}`, { monitor: ref.monitorId });
  const issues = [{ path: '', code: corruptWord }];
  await records.unreadable.put(ref.monitorId, [{ answer, issues }], markNow({ ref, now }));
}

/**
 * Records unreadable list items. They stay on the list, sweep after sweep, until a person acts.
 */
export async function recordUnreadable(
  { ref, records, metrics, warn, now }: SweepContext,
  items: ListedPage['unreadable'],
): Promise<void> {
  const { monitorId } = ref;
  const counts = await records.unreadable.put(monitorId, items, markNow({ ref, now }));
  metrics.count('diligence_changes_total', { event: 'unreadable' }, items.length);
  for (const [index, { issues }] of items.entries()) {
    if ((counts[index] ?? 1) > 1) continue;
    const { path = null, code = null } = issues[0] ?? {};
    warn('an item of a list cannot be read as a change', { monitor: monitorId, path, code });
  }
}

/** A corrupt or unwritable row: not a failure of the whole disk. */
function isOfOneRow(error: unknown): boolean {
  if (error instanceof SyntaxError || error instanceof RangeError) return true;
  return error instanceof BrokenSealError;
}
