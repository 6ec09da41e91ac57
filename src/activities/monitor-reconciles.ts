import { Context } from '@temporalio/activity';
import type { ListedChange } from '../apis/investigation/monitors.wire';
import { MonitorPasses } from '../archive/monitor-passes';
import { MonitorRecords } from '../archive/monitor-records';
import { acknowledgementEntry } from '../domain/monitors/audit';
import { isOpen } from '../domain/monitors/change';
import type { ChangeFile } from '../domain/monitors/kept';
import {
  beginReconcile,
  cursorRepeated,
  onward,
  type Fault,
  type ReconcileWalk,
  type SweepRef,
  type SweepTerms,
} from '../domain/monitors/sweep';
import type { MonitorDependencies } from './dependencies';
import { Heartbeats } from './heartbeats';
import { faultOf, patiently } from './monitor-calls';
import { Deliverer } from './monitor-delivery';
import { isWanted, pageSize } from './monitor-sweeps';

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
  fault: Fault | null;
}

/** Walks over all states, and puts on file what others acknowledged before we had seen it. */
export function createMonitorReconcileActivities(deps: MonitorDependencies) {
  const records = new MonitorRecords(deps.archive, deps.nameOf);
  const passes = new MonitorPasses(deps.archive);
  const deliverer = new Deliverer(records, deps);
  const { monitors, audit, now, random } = deps;
  const instant = (): string => new Date(now()).toISOString();

  async function reconcilePages({ ref, terms, walk }: ReconcileInput): Promise<ReconcileReport> {
    const { cancellationSignal: signal } = Context.current();
    const beats = new Heartbeats(now, 2_000);
    const done = { pages: 0, found: 0 };
    let next: ReconcileWalk = walk ?? beginReconcile();
    try {
      while (done.pages < pagesAtOnce) {
        const { cursor } = next;
        const filter = {
          pageSize,
          ...(cursor !== null && { cursor }),
          ...(next.state !== null && { status: next.state }),
        };
        const page = await patiently(
          () => monitors.listChanges(ref.monitorId, filter, 'poll', signal),
          { random, signal },
        );
        done.pages += 1;
        const changes = page.items.filter((item) => item.kind === 'change');
        const found = await keep(ref, terms, changes, signal);
        done.found += found;
        const told = next.told || changes.some(({ change }) => !isOpen(change));
        if (page.nextCursor !== null) {
          const after = onward(next, page.nextCursor);
          if (after === 'repeated') return { ...done, walk: null, fault: cursorRepeated };
          next = { ...next, ...after, told };
          continue;
        }
        // A list without a filter may be one of open changes alone.
        if (told || next.state !== null) return { ...done, walk: null, fault: null };
        next = { ...beginReconcile(), state: 'acknowledged' };
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

  /** @returns how many were acknowledged by others and are on file only now */
  async function keep(
    ref: SweepRef,
    terms: SweepTerms,
    changes: readonly Extract<ListedChange, { kind: 'change' }>[],
    signal: AbortSignal,
  ): Promise<number> {
    const sinks = deps.sinksFor(terms.cooldownMs);
    const names = sinks.required;
    const by = { sweep: ref.sweep, at: instant() };
    const acknowledged = changes.filter(({ change }) => !isOpen(change));
    const open = changes.filter(({ change }) => isOpen(change) && isWanted(change, terms));
    const files = await records.fileChanges(
      ref.monitorId,
      acknowledged,
      { ...by, foundAs: 'elsewhere' },
      sinks.names,
    );
    const openFiles = await records.fileChanges(
      ref.monitorId,
      open,
      { ...by, foundAs: 'open' },
      sinks.names,
    );
    // What was seen open and never taken is owed to the sinks, whoever acknowledged it.
    const owed = [...files, ...openFiles].filter((file) => isOwed(file, ref.sweep, names));
    await deliverer.deliver(ref, owed, sinks, signal);
    const unmarked = files.flatMap((file, place) => {
      const change = acknowledged[place]?.change;
      return file.acknowledged === null && change !== undefined ? [{ file, change }] : [];
    });
    for (const { file, change } of unmarked) {
      const { changeId, acknowledgedAt } = change;
      const how = isOurs(file, acknowledgedAt, names) ? 'us' : 'elsewhere';
      const mark = { by: how, sweep: ref.sweep, at: instant(), acknowledgedAt } as const;
      await records.putAcknowledged(ref.monitorId, changeId, mark);
      await audit.append([acknowledgementEntry(ref, changeId, how, now())]);
      deps.metrics.changesAcknowledged(how, 1);
    }
    const found = files.filter(({ isNew }) => isNew).length;
    deps.metrics.changesFiled(found + openFiles.filter(({ isNew }) => isNew).length);
    return found;
  }

  /** The walk has come to its end: it is due again in a while. */
  async function concludeReconcile({
    ref,
    pages,
    found,
  }: {
    ref: SweepRef;
    pages: number;
    found: number;
  }): Promise<void> {
    const { monitorId, sweep } = ref;
    await passes.putReconciled(monitorId, { at: instant(), sweep, pages, found });
  }

  return { reconcilePages, concludeReconcile };
}

function isOwed(
  { filed, delivered, trouble }: ChangeFile,
  sweep: string,
  names: readonly string[],
): boolean {
  if (filed.foundAs !== 'open' || filed.erased === true || trouble?.sweep === sweep) return false;
  return names.some((name) => delivered[name] === undefined);
}

/** All sinks had it before: a worker of ours was lost between its acknowledgement and the mark. */
function isOurs(
  { filed, delivered }: ChangeFile,
  acknowledgedAt: string | null,
  names: readonly string[],
): boolean {
  if (filed.foundAs !== 'open') return false;
  return names.every((name) => {
    const mark = delivered[name];
    // Clocks of two machines: a minute either way tells nothing.
    const bound = acknowledgedAt === null ? Infinity : Date.parse(acknowledgedAt) + 60_000;
    return mark !== undefined && Date.parse(mark.at) <= bound;
  });
}
