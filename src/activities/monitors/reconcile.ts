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

/** Pages per activity: a scan over years leaves few events. */
const pagesAtOnce = 20;

export interface ReconcileInput {
  ref: SweepRef;
  terms: SweepTerms;
  /** Null: from the top. */
  walk: ReconcileWalk | null;
}

/** Null `walk`: it is complete. */
export interface ReconcileReport extends Reconciled {
  walk: ReconcileWalk | null;
}

/** Scans all statuses, and stores what others acknowledged before we had seen it. */
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
        // The next sweep continues with the open ones.
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
        // A list without a filter may show open changes only.
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

/** Result for changes that the service lists as acknowledged. */
interface ReconciledPage {
  /** Newly stored. */
  found: number;
  /** Newly delivered to all required sinks. */
  delivered: number;
  /** Newly marked as acknowledged: by us, in a sweep whose worker was lost, or by others. */
  ours: number;
  elsewhere: number;
  /** Not yet delivered to every required sink. */
  pending: number;
}

/** Stores changes acknowledged without our mark, and still delivers the pending ones. */
export async function reconcileAcknowledged(
  ctx: SweepContext,
  reported: readonly ListedItem[],
): Promise<ReconciledPage> {
  const { records, ref, sinks } = ctx;
  const ids = reported.map(({ change }) => change.changeId);
  // Most listed changes are settled: their rows are not opened.
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
  // Some were listed as open after their acknowledgement.
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

/** Delivers what is pending and was not attempted in this sweep, or recently. */
async function deliverPending(
  ctx: SweepContext,
  files: readonly ChangeFile[],
): Promise<Pick<ReconciledPage, 'delivered' | 'pending'>> {
  const pending = files.filter((file) => isPending(file, ctx.sinks.required));
  const due = pending.filter(({ failure }) => mayBeTried(failure, ctx.ref.sweep, ctx.now()));
  const { held, taken } = await deliverChanges(ctx, due);
  return { delivered: taken, pending: pending.length - held.length };
}

/** All sinks had it before: our worker was lost between acknowledgement and mark. */
function isOurs(
  { stored, delivered }: ChangeFile,
  acknowledgedAt: string | null,
  required: readonly string[],
): boolean {
  if (stored.foundAs !== 'open') return false;
  // Clocks of two machines: a minute of difference proves nothing.
  const bound = acknowledgedAt === null ? Infinity : Date.parse(acknowledgedAt) + 60_000;
  return required.every((name) => {
    const mark = delivered[name];
    return mark !== undefined && Date.parse(mark.at) <= bound;
  });
}
