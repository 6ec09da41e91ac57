import { jobFolder } from '../../domain/job';
import { Context } from '@temporalio/activity';
import { undeliveredEntry } from '../../domain/monitors/audit';
import { healthNotes } from '../../domain/monitors/health';
import { mayBeTried, type ChangeFile } from '../../domain/monitors/stored';
import {
  addSums,
  noCounts,
  sweepOutcome,
  isComplete,
  type Backlog,
  type PageReport,
  type SweepEnd,
  type SweepOutcome,
  type SweepRecord,
  type SweepRef,
  type SweepSums,
  type SweepTerms,
  type SweepWarning,
} from '../../domain/monitors/sweep';
import { nextPage, type SweepReport, type Walk } from '../../domain/monitors/walk';
import { ChangeQueries } from '../../store/monitors/change-queries';
import type { MonitorDependencies } from '../dependencies';
import { Heartbeats } from '../core/heartbeats';
import { faultOf } from './with-retries';
import { acknowledgeChanges } from './acknowledge-changes';
import { deliveryRef, measureFailures, sweepContext, type SweepContext } from './context';
import { deliverChanges, type Delivered } from './deliver-changes';
import { listPage, pageSize, severityFilter, type ListedPage } from './list-page';
import { readHealth } from './probe-monitors';
import { reconcileAcknowledged } from './reconcile';
import {
  corruptWord,
  recordChanges,
  recordUnreadable,
  type RecordedChange,
} from './record-changes';

/** Pages per activity: an activity costs Temporal more than a page costs us. */
const pagesAtOnce = 20;
/** After this it starts no other page: progress is reported. */
const beginPagesForMs = 5_000;

export interface SweepPagesInput {
  ref: SweepRef;
  terms: SweepTerms;
  walk: Walk;
  /** With the first page: the sweep is stored before anything else. */
  begins?: SweepRecord;
}

export interface FinalizeSweepInput {
  record: SweepRecord;
  end: SweepEnd;
}

export function createMonitorSweepActivities(deps: MonitorDependencies) {
  const { jobs } = deps.store;

  /** Handles some pages of changes in sequence (decision record 017). */
  async function sweepPages(input: SweepPagesInput): Promise<SweepReport> {
    const { ref, terms, begins } = input;
    const ctx = sweepContext(deps, ref, terms);
    // A previous attempt may have acknowledged what it could not store.
    const isRepeated = Context.current().info.attempt > 1;
    const beats = new Heartbeats(deps.now, 2_000);
    const beginUntil = deps.now() + beginPagesForMs;
    let sums: SweepSums = { counts: noCounts(), warnings: [], unsure: isRepeated };
    // Changes settled by the previous attempt may have shifted the list under the cursor.
    let walk = { ...input.walk, progress: input.walk.progress || isRepeated };
    try {
      if (begins !== undefined) await ctx.records.sweeps.begin(begins);
      if (isRepeated) await ctx.records.monitors.oweWalk(ref.monitorId);
      for (;;) {
        const isStopped = (await jobs.stopWord(jobFolder(ref.sweep))) !== null;
        if (isStopped) return { ...sums, walk, fault: null, isStopped };
        const page = await sweepPage(ctx, walk);
        sums = addSums(sums, page);
        const next = nextPage(walk, page);
        const isOver = sums.counts.pages >= pagesAtOnce || deps.now() > beginUntil;
        if (next.walk === null || next.fault !== null || isOver)
          return { ...sums, ...next, isStopped };
        walk = next.walk;
      }
    } finally {
      beats.stop();
    }
  }

  /** Running sweeps see it at the next page, sooner than a cancellation would reach them. */
  async function stopSweep({ sweep }: SweepRef): Promise<void> {
    await jobs.stop(jobFolder(sweep), 'cancelled');
  }

  /** Stores, audits and logs what a sweep left: once, however many changes. */
  async function finalizeSweep({ record, end }: FinalizeSweepInput): Promise<SweepOutcome> {
    const { createdBy: by, monitorId, terms, jobId: sweep } = record;
    const ref = { monitorId, sweep, by };
    const ctx = sweepContext(deps, ref, terms);
    const { audit, now, records, sinks, store, warn } = ctx;
    if (end.reconciled !== null) {
      const isThrough = end.reconciled.fault === null && end.reconciled.pending === 0;
      await records.monitors.putWalk(monitorId, new Date(now()).toISOString(), isThrough);
    }
    const { backlog, why } = await backlogOf(ctx);
    if (backlog.undelivered + backlog.escalated > 0) {
      await audit.append([undeliveredEntry(ref, backlog, now())]);
      warn('changes could not be delivered or acknowledged', {
        monitor: monitorId,
        ...backlog,
        why,
      });
    }
    const { fault, warnings } = end;
    const left = { fault, warnings, backlog };
    const before = await records.lists.unfinished(monitorId);
    // Logged once, not at every sweep.
    if (fault !== null && fault.fault !== before?.fault?.fault) {
      warn('a sweep ended with an error', { monitor: monitorId, ...fault });
    }
    await records.lists.putUnfinished(monitorId, isComplete(left) ? null : left);
    // No further call after the service refused the list.
    const known = fault === null ? await readHealth(ctx, monitorId) : null;
    const health = healthNotes(known);
    const endedAt = new Date(now()).toISOString();
    // Pages of a lost attempt, and a walk over all states, did something too.
    const did = await new ChangeQueries(store).countsOf(ref, sinks.required);
    const stored = did.stored - (end.reconciled?.found ?? 0);
    const counts = { ...end.counts, ...did, stored };
    const outcome = sweepOutcome(record, { ...end, counts }, { backlog, health }, endedAt);
    return records.sweeps.finish(record, outcome);
  }

  return { sweepPages, stopSweep, finalizeSweep };
}

/** Lists a page, records, delivers and acknowledges its changes. */
async function sweepPage(ctx: SweepContext, { cursor, size }: Walk): Promise<PageReport> {
  // First, and independent of the list: their changes are acknowledged.
  const warnings = cursor === null ? await deliverDigests(ctx) : [];
  const filter = { ...severityFilter(ctx.terms), ...(cursor !== null && { cursor }) };
  const page = await listPage(ctx, { status: 'open', ...filter }, size).catch((error: unknown) => {
    const fault = faultOf(error);
    if (fault === null || ctx.signal.aborted) throw error;
    return { fault };
  });
  if ('fault' in page) return { ...lostPage, size, fault: page.fault, warnings };
  const report = await processPages(ctx, page);
  return { ...report, warnings: [...warnings, ...report.warnings] };
}

const lostPage: PageReport = {
  counts: { ...noCounts(), pages: 1 },
  settled: 0,
  staying: 0,
  hasMore: false,
  nextCursor: null,
  ids: null,
  size: null,
  warnings: [],
  fault: null,
  unsure: false,
};

/** Delivers digests whose cooldown has ended. */
async function deliverDigests(ctx: SweepContext): Promise<SweepWarning[]> {
  const { digests } = ctx.sinks;
  if (digests === null) return [];
  const { failures, isWaiting, isDisabled } = await digests.deliverDue(
    deliveryRef(ctx),
    ctx.signal,
  );
  measureFailures(ctx, failures);
  return [
    ...(isWaiting ? (['digest waits'] as const) : []),
    ...(isDisabled ? disabledWarnings(['webhook'], ctx) : []),
  ];
}

async function processPages(ctx: SweepContext, page: ListedPage): Promise<PageReport> {
  const { records, ref } = ctx;
  await recordUnreadable(ctx, page.unreadable);
  const others = await reconcileAcknowledged(ctx, page.acknowledged);
  const files = (await recordChanges(ctx, page.open, 'open')).map(withListed);
  const delivered = await deliverChanges(
    ctx,
    files.filter((file) => isDue(file, ctx)),
  );
  const { settled, fault, unsure } = await acknowledgeChanges(ctx, delivered.held);
  if (unsure) await records.monitors.oweWalk(ref.monitorId);
  const ended = new Set(settled.map(({ changeId }) => changeId));
  const ours = settled.filter(({ by }) => by === 'us').length;
  return {
    counts: {
      pages: 1,
      stored: files.filter(({ isNew }) => isNew).length + others.found,
      delivered: delivered.taken + others.delivered,
      acknowledged: ours + others.ours,
      elsewhere: settled.length - ours + others.elsewhere,
    },
    settled: settled.length,
    staying: page.items.filter(
      (item) => item.kind === 'unreadable' || !ended.has(item.change.changeId),
    ).length,
    hasMore: page.hasMore,
    nextCursor: page.nextCursor,
    ids: page.ids,
    size: page.size,
    warnings: pageWarnings(ctx, page, delivered),
    fault,
    unsure,
  };
}

/** An erased change is complete while the service lists it: a sink gets it whole. */
function withListed({ file, reported: { change, answer } }: RecordedChange): ChangeFile {
  if (file.stored.erased !== true) return file;
  return { ...file, stored: { ...file.stored, change, answer } };
}

/** The list may lag behind the sweep's acknowledgements. */
function isDue({ acknowledged, failure }: ChangeFile, { ref, now }: SweepContext): boolean {
  return acknowledged?.sweep !== ref.sweep && mayBeTried(failure, ref.sweep, now());
}

function pageWarnings(
  ctx: SweepContext,
  { items, hasMore, nextCursor, size, open, acknowledged, unwanted }: ListedPage,
  { disabled, isSlow }: Delivered,
): SweepWarning[] {
  const { severity } = severityFilter(ctx.terms);
  const wanted = size ?? pageSize;
  const others = [...open, ...unwanted].filter(({ change }) => change.severity !== severity);
  const found: [boolean, SweepWarning][] = [
    [acknowledged.length > 0, 'status ignored'],
    [severity !== undefined && others.length > 0, 'severity ignored'],
    [items.length > wanted || (hasMore && items.length < wanted), 'page size ignored'],
    [hasMore && nextCursor === null, 'no cursor'],
    [isSlow, 'slow sink'],
  ];
  const met = found.flatMap(([isMet, warning]) => (isMet ? [warning] : []));
  return [...met, ...disabledWarnings(disabled, ctx)];
}

function disabledWarnings(names: readonly string[], { sinks }: SweepContext): SweepWarning[] {
  return names.map((name) =>
    sinks.required.includes(name) ? 'disabled sink' : 'disabled optional sink',
  );
}

async function backlogOf(ctx: SweepContext): Promise<{ backlog: Backlog; why: string | null }> {
  const { store, records, ref, sinks, escalateAfter } = ctx;
  const { monitorId } = ref;
  const { named } = await new ChangeQueries(store).backlog(monitorId, Infinity, sinks.required);
  const failures = [
    ...named.map(({ failure }) => failure),
    ...((await sinks.digests?.undelivered(monitorId)) ?? []),
  ];
  const items = (await records.unreadable.of(monitorId)).filter(({ sweep }) => sweep === ref.sweep);
  const isCorrupt = ({ why }: { why: string }) => why.endsWith(corruptWord);
  const escalated = [...failures, ...items].filter(
    (one) => one.count >= escalateAfter || isCorrupt(one),
  ).length;
  const backlog = { undelivered: failures.length, unreadable: items.length, escalated };
  return { backlog, why: failures[0]?.why ?? null };
}
