import { Context } from '@temporalio/activity';
import { isOpen } from '../../domain/monitors/change';
import { onward } from '../../domain/core/list-walk';
import {
  addStanding,
  beginReconcile,
  endlessFault,
  isPastEnd,
  noCursor,
  noStanding,
  type Fault,
  type ReconcileWalk,
  type Standing,
  type SweepRef,
  type SweepTerms,
} from '../../domain/monitors/sweep';
import { ChangeRepository } from '../../store/monitors/changes';
import { MonitorRepository } from '../../store/monitors/monitors';
import { UnreadableItemRepository } from '../../store/monitors/unreadable-items';
import type { MonitorDependencies } from '../dependencies';
import { Heartbeats } from '../core/heartbeats';
import { faultOf } from '../core/with-retries';
import { Deliverer } from './delivery';
import { fileAll, fileUnreadable } from './filing';
import { Keeper, type Kept, type ToldItem } from './keeping';
import { listPage, noPage, type ListedPage } from './pages';
import { isWanted } from './sweeps';

/** Pages of one activity: a walk of years leaves few events. */
const pagesAtOnce = 20;

export interface ReconcileInput {
  ref: SweepRef;
  terms: SweepTerms;
  walk: ReconcileWalk | null;
}

/** Null `walk`: it has come to its end. */
export interface ReconcileReport {
  walk: ReconcileWalk | null;
  pages: number;
  found: number;
  /** Acknowledged by others, and still due to a sink. */
  owed: number;
  /** All that these pages came by and left where it was, but for what was counted earlier in the sweep. */
  standing: Standing;
  /** Of `standing`: handed over now, in vain. */
  tried: Standing;
  fault: Fault | null;
}

/** `isThrough`: it came to the end of the list, and owes nothing. */
export interface ReconcileEnd {
  ref: SweepRef;
  pages: number;
  found: number;
  isThrough: boolean;
}

/** Walks over all states, and puts on file what others acknowledged before we had seen it. */
export function createMonitorReconcileActivities(deps: MonitorDependencies) {
  const { store } = deps;
  const stored = new ChangeRepository(store, deps.nameOf);
  const monitors = new MonitorRepository(store, deps.nameOf);
  const items = new UnreadableItemRepository(store, deps.nameOf);
  const keeper = new Keeper(stored, new Deliverer(stored, deps), deps);
  const { now } = deps;
  const instant = (): string => new Date(now()).toISOString();

  async function reconcilePages({ ref, terms, walk }: ReconcileInput): Promise<ReconcileReport> {
    const { cancellationSignal: signal } = Context.current();
    const beats = new Heartbeats(now, 2_000);
    const done = { pages: 0, found: 0, owed: 0, standing: noStanding(), tried: noStanding() };
    let next: ReconcileWalk = walk ?? beginReconcile();
    try {
      while (done.pages < pagesAtOnce) {
        const page = await listOne(ref, next, signal);
        done.pages += 1;
        const { size } = page;
        const changes = page.items.filter((item) => item.kind === 'change');
        const unreadable = page.items.filter((item) => item.kind === 'unreadable');
        const kept = await keep(ref, terms, changes, signal);
        const { count, escalated } = await fileUnreadable(items, ref, unreadable, deps);
        done.found += kept.found;
        done.owed += kept.owed;
        done.tried = addStanding(done.tried, kept.tried);
        const left = { stuck: 0, escalated, unreadable: count };
        done.standing = addStanding(addStanding(done.standing, kept.standing), left);
        const told = next.told || changes.some(({ change }) => !isOpen(change));
        const after = onward(next, page);
        if (after.kind === 'endless')
          return { ...done, walk: null, fault: endlessFault(after.why) };
        if (after.kind === 'page') {
          next = { ...after.place, size, told };
          continue;
        }
        if (page.hasMore) return { ...done, walk: null, fault: noCursor };
        // A list without a filter may be one of open changes alone.
        if (told || next.state !== null) return { ...done, walk: null, fault: null };
        next = { ...beginReconcile(), size, state: 'acknowledged' };
      }
      return { ...done, walk: next, fault: null };
    } catch (error) {
      const fault = faultOf(error);
      if (fault === null || signal.aborted) throw error;
      return { ...done, walk: null, fault };
    } finally {
      beats.stop();
    }
  }

  async function listOne(
    { monitorId }: SweepRef,
    walk: ReconcileWalk,
    signal: AbortSignal,
  ): Promise<ListedPage> {
    const { cursor, state, size } = walk;
    const filter = {
      ...(cursor !== null && { cursor }),
      ...(state !== null && { status: state }),
    };
    try {
      return await listPage(deps, monitorId, filter, size, signal);
    } catch (error) {
      if (isPastEnd(walk, faultOf(error))) return { ...noPage, size };
      throw error;
    }
  }

  async function keep(
    ref: SweepRef,
    terms: SweepTerms,
    changes: readonly ToldItem[],
    signal: AbortSignal,
  ): Promise<Pick<Kept, 'found' | 'owed' | 'standing' | 'tried'>> {
    const acknowledged = changes.filter(({ change }) => !isOpen(change));
    const open = changes.filter(({ change }) => isOpen(change) && isWanted(change, terms));
    const kept = await keeper.keep(ref, terms, acknowledged, signal);
    const by = { sweep: ref.sweep, at: instant(), foundAs: 'open' } as const;
    const page = await fileAll(stored, ref.monitorId, open, by);
    const files = page.files.map(({ file }) => file);
    deps.metrics.changesFiled(files.filter(({ isNew }) => isNew).length);
    // The next sweep finds those that are open, and goes on with them.
    const due = await keeper.deliverOwed(ref, terms, files, signal);
    return {
      found: kept.found,
      owed: kept.owed,
      standing: addStanding(kept.standing, due.standing),
      tried: addStanding(kept.tried, due.tried),
    };
  }

  /** The walk is over: it is due again in a while, sooner when it left something. */
  async function concludeReconcile({ ref, isThrough }: ReconcileEnd): Promise<void> {
    await monitors.putWalk(ref.monitorId, instant(), isThrough);
  }

  return { reconcilePages, concludeReconcile };
}
