import { onward } from '../../domain/core/service/list-walk';
import { isPending, isStuck } from '../../domain/monitors/change-record';
import { mayBeTried, type ChangeFile } from '../../domain/monitors/stored';
import {
  noCursor,
  type Reconciled,
  type SweepRef,
  type SweepTerms,
} from '../../domain/monitors/sweep';
import {
  endlessFault,
  firstReconcileWalk,
  isPastEnd,
  type ReconcileWalk,
} from '../../domain/monitors/walk';
import type { MonitorDependencies } from '../dependencies';
import { Heartbeats } from '../core/heartbeats';
import { faultOf } from './with-retries';
import { storeAcknowledged } from './acknowledge-changes';
import { sweepContext, type SweepContext } from './context';
import { deliverChanges } from './deliver-changes';
import { emptyPage, listPage, type ListedItem, type ListedPage } from './list-page';
import { recordChanges, recordUnreadable } from './record-changes';

/** Pages of one activity: a walk of years leaves few events. */
const pagesAtOnce = 20;

export interface ReconcileInput {
  ref: SweepRef;
  terms: SweepTerms;
  /** Null: from the top. */
  walk: ReconcileWalk | null;
}

/** Null `walk`: it has come to its end. */
export interface ReconcileReport extends Reconciled {
  walk: ReconcileWalk | null;
}

/** Walks over all states, and stores what others acknowledged before we had seen it. */
export function createMonitorReconcileActivities(deps: MonitorDependencies) {
  async function reconcilePages({ ref, terms, walk }: ReconcileInput): Promise<ReconcileReport> {
    const ctx = sweepContext(deps, ref, terms);
    const beats = new Heartbeats(deps.now, 2_000);
    const done: ReconcileReport = { walk: null, pages: 0, found: 0, pending: 0, fault: null };
    let next: ReconcileWalk = walk ?? firstReconcileWalk;
    try {
      while (done.pages < pagesAtOnce) {
        const page = await listReconciled(ctx, next);
        done.pages += 1;
        await recordUnreadable(ctx, page.unreadable);
        const { found, pending } = await reconcileAcknowledged(ctx, page.acknowledged);
        // The next sweep finds those that are open, and continues with them.
        const open = await recordChanges(ctx, page.open, 'open');
        const left = await deliverPending(
          ctx,
          open.map(({ file }) => file),
        );
        done.found += found;
        done.pending += pending + left.pending;
        const reported = next.reported || page.acknowledged.length > 0;
        const after = onward(next, page);
        if (after.kind === 'endless') return { ...done, fault: endlessFault(after.why) };
        if (after.kind === 'page') next = { ...after.position, size: page.size, reported };
        else if (page.hasMore) return { ...done, fault: noCursor };
        // A list without a filter may be one of open changes alone.
        else if (reported || next.state !== null) return done;
        else next = { ...firstReconcileWalk, size: page.size, state: 'acknowledged' };
      }
      return { ...done, walk: next };
    } catch (error) {
      const fault = faultOf(error);
      if (fault === null || ctx.signal.aborted) throw error;
      return { ...done, fault };
    } finally {
      beats.stop();
    }
  }

  return { reconcilePages };
}

async function listReconciled(ctx: SweepContext, walk: ReconcileWalk): Promise<ListedPage> {
  const { cursor, state, size } = walk;
  const filter = {
    ...(cursor !== null && { cursor }),
    ...(state !== null && { status: state }),
  };
  try {
    return await listPage(ctx, filter, size);
  } catch (error) {
    if (isPastEnd(walk, faultOf(error))) return emptyPage(size);
    throw error;
  }
}

/** What became of changes that the service lists as acknowledged. */
interface ReconciledPage {
  /** Stored only now. */
  found: number;
  /** That all required sinks have only now. */
  delivered: number;
  /** Marked as acknowledged now: by us, in a sweep whose worker was lost, or by others. */
  ours: number;
  elsewhere: number;
  /** Not with every required sink yet. */
  pending: number;
}

/** Stores what was acknowledged without our mark, and delivers what is pending all the same. */
export async function reconcileAcknowledged(
  ctx: SweepContext,
  reported: readonly ListedItem[],
): Promise<ReconciledPage> {
  const { records, ref, sinks } = ctx;
  const ids = reported.map(({ change }) => change.changeId);
  // Most of what is listed: nothing is left to do for it, and its row is not opened.
  const settled = await records.changes.settled(ref.monitorId, ids, sinks.required);
  const others = reported.filter(({ change }) => !settled.has(change.changeId));
  const page = await recordChanges(ctx, others, 'elsewhere');
  const files = page.map(({ file }) => file);
  const due = await deliverPending(ctx, files);
  const unmarked = page.flatMap(({ reported: { change }, file }) => {
    const { changeId, acknowledgedAt } = change;
    if (file.acknowledged !== null) return [];
    const by = isOurs(file, acknowledgedAt, sinks.required) ? 'us' : 'elsewhere';
    return [{ changeId, by, acknowledgedAt } as const];
  });
  await storeAcknowledged(ctx, unmarked);
  // Some were listed as open after their acknowledgement, and are no more.
  const again = files.filter(
    (file) =>
      file.acknowledged !== null &&
      isStuck(file, sinks.required) &&
      !isPending(file, sinks.required),
  );
  await records.changes.clearFailures(
    ref.monitorId,
    again.map(({ stored }) => stored.change.changeId),
  );
  const ours = unmarked.filter(({ by }) => by === 'us').length;
  const found = files.filter(({ isNew }) => isNew).length;
  return { ...due, found, ours, elsewhere: unmarked.length - ours };
}

/** Hands over what is pending at the sinks and was not tried in this sweep, or lately. */
async function deliverPending(
  ctx: SweepContext,
  files: readonly ChangeFile[],
): Promise<Pick<ReconciledPage, 'delivered' | 'pending'>> {
  const pending = files.filter((file) => isPending(file, ctx.sinks.required));
  const due = pending.filter(({ failure }) => mayBeTried(failure, ctx.ref.sweep, ctx.now()));
  const { held, taken } = await deliverChanges(ctx, due);
  return { delivered: taken, pending: pending.length - held.length };
}

/** All sinks had it before: a worker of ours was lost between its acknowledgement and the mark. */
function isOurs(
  { stored, delivered }: ChangeFile,
  acknowledgedAt: string | null,
  required: readonly string[],
): boolean {
  if (stored.foundAs !== 'open') return false;
  // Clocks of two machines: a minute either way tells nothing.
  const bound = acknowledgedAt === null ? Infinity : Date.parse(acknowledgedAt) + 60_000;
  return required.every((name) => {
    const mark = delivered[name];
    return mark !== undefined && Date.parse(mark.at) <= bound;
  });
}
