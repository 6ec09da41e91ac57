import { Context } from '@temporalio/activity';
import type { DeliveryFailure, NewDeliveryFailure, SweepMark } from '../../domain/monitors/stored';
import type { SweepRef, SweepTerms } from '../../domain/monitors/sweep';
import type { DeliveryRef } from '../../sinks/sink';
import { monitorRecords, type MonitorRecords } from '../../store/monitors/records';
import type { MonitorDependencies } from '../dependencies';

/** Shared context of the steps of a sweep. */
export interface SweepContext extends MonitorDependencies {
  records: MonitorRecords;
  ref: SweepRef;
  terms: SweepTerms;
  signal: AbortSignal;
}

/** Within an activity. */
export function sweepContext(
  deps: MonitorDependencies,
  ref: SweepRef,
  terms: SweepTerms,
): SweepContext {
  return {
    ...deps,
    records: monitorRecords(deps.store, deps.nameOf),
    ref,
    terms,
    signal: Context.current().cancellationSignal,
  };
}

/** The sweep that stores something, and when. */
export function markNow({ ref, now }: Pick<SweepContext, 'ref' | 'now'>): SweepMark {
  return { sweep: ref.sweep, at: new Date(now()).toISOString() };
}

/** The sweep for which something is delivered now. */
export function deliveryRef({ ref, terms, now }: SweepContext): DeliveryRef {
  const { monitorId, sweep } = ref;
  return { monitorId, sweep, at: now(), cooldownMs: terms.cooldownMs };
}

/** Counts failures to deliver or acknowledge, each change once. @returns the new counts */
export async function countFailures(
  ctx: SweepContext,
  failures: readonly NewDeliveryFailure[],
): Promise<DeliveryFailure[]> {
  const counted = await ctx.records.changes.countFailures(ctx.ref.monitorId, failures);
  const all = counted.map(({ failure }) => failure);
  measureFailures(ctx, all);
  return all;
}

export function measureFailures(
  { metrics, escalateAfter }: MonitorDependencies,
  failures: readonly DeliveryFailure[],
): void {
  for (const { step, count } of failures)
    metrics.count('diligence_changes_stuck_total', {
      step,
      escalated: count >= escalateAfter ? 'true' : 'false',
    });
}
