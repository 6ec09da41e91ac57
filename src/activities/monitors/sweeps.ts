import { Context } from '@temporalio/activity';
import type { ListedChange } from '../../apis/investigation/monitors.wire';
import { bySeverity, isOpen, type Change, type Severity } from '../../domain/monitors/change';
import { mayBeTried, type ChangeFile, type ToldChange } from '../../domain/monitors/kept';
import {
  addStanding,
  noCounts,
  noStanding,
  type Fault,
  type PageReport,
  type SweepRef,
  type SweepRemark,
  type SweepTerms,
} from '../../domain/monitors/sweep';
import { ChangeRepository } from '../../store/monitors/changes';
import { MonitorRepository } from '../../store/monitors/monitors';
import { UnreadableItemRepository } from '../../store/monitors/unreadable-items';
import type { MonitorDependencies } from '../dependencies';
import { Heartbeats } from '../core/heartbeats';
import { Acknowledger } from './acknowledgement';
import { faultOf } from '../core/with-retries';
import { Deliverer, type Delivered } from './delivery';
import { fileAll, fileUnreadable } from './filing';
import { healthRemarks } from '../../domain/monitors/health';
import { healthToday } from './health';
import { Keeper } from './keeping';
import { listPage, pageSize, type ListedPage } from './pages';
import { isCounted, measureStuck } from './stuck';

export interface SweepPageInput {
  ref: SweepRef;
  terms: SweepTerms;
  /** Asked for by this page; null: all. */
  severity: Severity | null;
  cursor: string | null;
  /** Of the walk: `Place.size`. */
  size: number | null;
  /** Work the page off only if it is all there is. */
  peek: boolean;
}

/** One activity works off one page of changes: lists, files, delivers, acknowledges (decision record 017). */
export function createMonitorSweepActivities(deps: MonitorDependencies) {
  const { store } = deps;
  const changes = new ChangeRepository(store, deps.nameOf);
  const known = new MonitorRepository(store, deps.nameOf);
  const items = new UnreadableItemRepository(store, deps.nameOf);
  const deliverer = new Deliverer(changes, deps);
  const keeper = new Keeper(changes, deliverer, deps);
  const acknowledger = new Acknowledger(changes, deps);
  const { metrics, now, warn } = deps;
  const instant = (): string => new Date(now()).toISOString();

  async function list(input: SweepPageInput, signal: AbortSignal): Promise<ListedPage> {
    const { ref, severity, cursor, size } = input;
    const filter = {
      status: 'open',
      ...(severity !== null && { severity }),
      ...(cursor !== null && { cursor }),
    } as const;
    return listPage(deps, ref.monitorId, filter, size, signal);
  }

  /** Repeats that a cooldown held back, when it is over: a page in which nothing was listed yet. */
  async function tellDigests(
    ref: SweepRef,
    terms: SweepTerms,
    signal: AbortSignal,
  ): Promise<PageReport> {
    const due = { monitorId: ref.monitorId, sweep: ref.sweep, at: now() };
    const sinks = deps.sinksFor(terms.cooldownMs);
    const digests = await sinks.deliverDue(due, signal);
    const { stuck, untried, isDisabled } = digests;
    const waiting = stuck.length + untried;
    const escalated = measureStuck(
      stuck.map(({ count }) => ({ step: 'deliver', count })),
      deps,
    );
    return {
      ...emptyPage,
      standing: { ...noStanding(), stuck: waiting, escalated },
      remarks: [
        ...(waiting > 0 ? (['digest waits'] as const) : []),
        ...(isDisabled ? [disabledRemark(sinks.required.includes('webhook'))] : []),
      ],
      ...reasonOf(stuck[0]?.why),
    };
  }

  /** Lists one page, and brings what is on it as far as it goes. */
  async function sweepPage(input: SweepPageInput): Promise<PageReport> {
    const { ref, terms, severity, peek } = input;
    const { cancellationSignal: signal, info } = Context.current();
    // An attempt before this one may have acknowledged what it could not put down any more.
    const lost = info.attempt > 1;
    const beats = new Heartbeats(now, 2_000);
    try {
      if (lost) await known.oweWalk(ref.monitorId);
      // First, and whatever becomes of the list: their changes are acknowledged.
      const told = input.cursor === null ? await tellDigests(ref, terms, signal) : emptyPage;
      let page: ListedPage;
      try {
        page = await list(input, signal);
      } catch (error) {
        const fault = faultOf(error);
        if (fault === null || signal.aborted) throw error;
        const { size } = input;
        return { ...told, size, counts: { ...noCounts(), pages: 1 }, fault, lost };
      }
      const { items: _, ...seen } = page;
      const listed = { ...told, ...seen, lost };
      if (peek && page.hasMore) {
        return { ...listed, counts: { ...noCounts(), pages: 1 }, deferred: true };
      }
      const report = { ...listed, ...(await workOff(page, told)) };
      if (input.cursor !== null) return report;
      // A look has read it lately, but for a sweep that a person asked for.
      const health = await healthToday(ref.monitorId, known, deps, signal);
      return { ...report, health: healthRemarks(health) };
    } finally {
      beats.stop();
    }

    async function workOff(page: ListedPage, digests: PageReport): Promise<Partial<PageReport>> {
      const sorted = sortItems(page.items, terms);
      const unreadable = await fileUnreadable(items, ref, sorted.unreadable, deps);
      const kept = await keeper.keep(ref, terms, sorted.acknowledged, signal);
      const sinks = deps.sinksFor(terms.cooldownMs);
      const by = { sweep: ref.sweep, at: instant(), foundAs: 'open' } as const;
      const { files: told, broken } = await fileAll(changes, ref.monitorId, sorted.open, by);
      const files = told.map(withListed);
      for (const { change } of broken) {
        warn('a change cannot be filed', { monitor: ref.monitorId, change: change.changeId });
      }
      const filed = files.filter(({ isNew }) => isNew).length;
      metrics.changesFiled(filed);
      const [ready, waiting] = divide(files, (file) => isTurn(file, ref, now()));
      const delivered = await deliverer.deliver(ref, ready, sinks, signal);
      const acknowledged = await acknowledger.acknowledge(ref, delivered.held, signal);
      if (acknowledged.unsure) await known.oweWalk(ref.monitorId);
      const stuck = [...delivered.stuck, ...acknowledged.stuck];
      const troubles = stuck.map(({ trouble }) => trouble);
      const escalated = measureStuck(troubles, deps);
      const settled = acknowledged.settled.length;
      const ended = new Set(acknowledged.settled.map(({ file }) => file.filed.change.changeId));
      const ours = acknowledged.settled.filter((one) => one.by === 'us').length;
      const stood = waiting.filter(
        ({ acknowledged: mark, trouble }) => mark === null && !isCounted(trouble, ref),
      );
      return {
        counts: {
          pages: 1,
          filed: filed + kept.found,
          delivered: delivered.taken + kept.delivered,
          acknowledged: ours + kept.ours,
          elsewhere: settled - ours + kept.elsewhere,
        },
        standing: addStanding(addStanding(digests.standing, kept.standing), {
          stuck: stuck.length + delivered.untried + stood.length,
          escalated:
            escalated +
            unreadable.escalated +
            broken.length +
            stood.filter(({ trouble }) => (trouble?.count ?? 0) >= deps.escalateAfter).length,
          unreadable: unreadable.count + broken.length,
        }),
        tried: addStanding(kept.tried, { stuck: stuck.length, escalated, unreadable: 0 }),
        settled,
        staying: page.items.filter((item) => !isAmong(item, ended)).length,
        remarks: [
          ...digests.remarks,
          ...remarksOf(page, sorted, severity, delivered, sinks.required),
        ],
        ...reasonOf(digests.why ?? troubles[0]?.why),
        fault: acknowledged.fault,
        lost: lost || acknowledged.unsure,
      };
    }
  }

  return { sweepPage };
}

const emptyPage: PageReport = {
  counts: noCounts(),
  standing: noStanding(),
  tried: noStanding(),
  settled: 0,
  staying: 0,
  deferred: false,
  hasMore: false,
  nextCursor: null,
  ids: null,
  size: null,
  remarks: [],
  fault: null as Fault | null,
  lost: false,
};

interface SortedItems {
  open: Extract<ListedChange, { kind: 'change' }>[];
  acknowledged: Extract<ListedChange, { kind: 'change' }>[];
  /** Open, of a severity that this sweep is not about. */
  passed: Extract<ListedChange, { kind: 'change' }>[];
  unreadable: Extract<ListedChange, { kind: 'unreadable' }>[];
}

/** Every item by its own fields, whatever was asked for (decision record 017). */
export function sortItems(items: readonly ListedChange[], terms: SweepTerms): SortedItems {
  const sorted: SortedItems = { open: [], acknowledged: [], passed: [], unreadable: [] };
  for (const item of items) {
    if (item.kind === 'unreadable') sorted.unreadable.push(item);
    else if (!isOpen(item.change)) sorted.acknowledged.push(item);
    else if (isWanted(item.change, terms)) sorted.open.push(item);
    else sorted.passed.push(item);
  }
  if (terms.order === 'severity') sorted.open.sort((a, b) => bySeverity(a.change, b.change));
  return sorted;
}

function isAmong(item: ListedChange, ids: ReadonlySet<string>): boolean {
  return item.kind === 'change' && ids.has(item.change.changeId);
}

/** What was erased is at hand as long as the service lists it: a receiver is told it whole. */
function withListed({ file, told }: { file: ChangeFile; told: ToldChange }): ChangeFile {
  if (file.filed.erased !== true) return file;
  const { change, answer } = told;
  return { ...file, filed: { ...file.filed, change, answer } };
}

function reasonOf(why: string | undefined): { why?: string } {
  return why === undefined ? {} : { why };
}

/** One of a severity that we do not know may be grave. */
export function isWanted({ severity }: Change, { severities }: SweepTerms): boolean {
  return severities === null || severity === 'unknown' || severities.includes(severity);
}

/** The list may be behind the acknowledgements of the sweep. */
function isTurn({ acknowledged, trouble }: ChangeFile, { sweep }: SweepRef, now: number): boolean {
  return acknowledged?.sweep !== sweep && mayBeTried(trouble, sweep, now);
}

function remarksOf(
  { items, hasMore, nextCursor, size }: ListedPage,
  { open, acknowledged, passed }: SortedItems,
  severity: Severity | null,
  { disabled, untried }: Pick<Delivered, 'disabled' | 'untried'>,
  required: readonly string[],
): SweepRemark[] {
  const wanted = size ?? pageSize;
  const others = [...open, ...passed].filter(({ change }) => change.severity !== severity);
  const found: Record<SweepRemark, boolean> = {
    'status ignored': acknowledged.length > 0,
    'severity ignored': severity !== null && others.length > 0,
    'page size ignored': items.length > wanted || (hasMore && items.length < wanted),
    'no cursor': hasMore && nextCursor === null,
    'disabled sink': disabled.some((name) => required.includes(name)),
    'disabled optional sink': disabled.some((name) => !required.includes(name)),
    'slow sink': untried > 0,
    // Told before the list, or not at all.
    'digest waits': false,
  };
  return (Object.keys(found) as SweepRemark[]).filter((remark) => found[remark]);
}

function disabledRemark(isRequired: boolean): SweepRemark {
  return isRequired ? 'disabled sink' : 'disabled optional sink';
}

function divide<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  const first: T[] = [];
  const second: T[] = [];
  for (const item of items) (isFirst(item) ? first : second).push(item);
  return [first, second];
}
