import type { ChangeFile, NewDeliveryFailure } from '../../domain/monitors/stored';
import { failureOf, type DeliveryOutcome, type Sink } from '../../sinks/sink';
import { countFailures, deliveryRef, markNow, type SweepContext } from './context';

/** Result of delivering changes. */
export interface Delivered {
  /** Changes that all required sinks have: only these may be acknowledged. */
  held: ChangeFile[];
  /** Of `held`: those that a required sink accepted now. */
  taken: number;
  /** A required sink attempted at least one too late: not counted as a failure. */
  isSlow: boolean;
  /** Names of sinks that accept nothing until a person enables them. */
  disabled: string[];
}

/** Delivers changes to sinks that lack them, and stores which accepted them. */
export async function deliverChanges(
  ctx: SweepContext,
  files: readonly ChangeFile[],
): Promise<Delivered> {
  const { sinks } = ctx;
  const failures = new Map<string, NewDeliveryFailure>();
  const notAttempted = new Set<string>();
  const disabled: string[] = [];
  await Promise.all(
    sinks.all.map(async (sink) => {
      const left = await deliverTo(ctx, sink, files);
      if (left.some(({ outcome }) => outcome?.kind === 'disabled')) disabled.push(sink.name);
      // Optional: what it did not accept is not retried.
      if (!sinks.required.includes(sink.name)) return warnOfMissed(ctx, sink, left);
      for (const { file, outcome } of left) {
        const { changeId } = file.stored.change;
        if (outcome?.kind === 'untried') notAttempted.add(changeId);
        // Once per change, whichever sink failed.
        else {
          failures.set(changeId, failureOf(changeId, sink.name, deliveryRef(ctx), outcome));
        }
      }
    }),
  );
  await countFailures(ctx, [...failures.values()]);
  const held = files.filter(({ stored: { change } }) => {
    return !failures.has(change.changeId) && !notAttempted.has(change.changeId);
  });
  const taken = held.filter(({ delivered }) =>
    sinks.required.some((name) => delivered[name] === undefined),
  ).length;
  return { held, taken, isSlow: notAttempted.size > 0, disabled };
}

/** A change that a sink did not accept, and why; undefined: no reason given. */
interface NotTaken {
  file: ChangeFile;
  outcome: Exclude<DeliveryOutcome, { kind: 'taken' }> | undefined;
}

async function deliverTo(
  ctx: SweepContext,
  sink: Sink,
  files: readonly ChangeFile[],
): Promise<NotTaken[]> {
  const pending = files.filter(({ delivered }) => delivered[sink.name] === undefined);
  if (pending.length === 0) return [];
  const { ref, records, metrics, signal } = ctx;
  const deliveries = pending.map(({ stored }) => {
    return { kind: 'change' as const, id: stored.change.changeId, stored };
  });
  const outcomes = await sink.deliver({ ...deliveryRef(ctx), deliveries }, signal);
  const mark = markNow(ctx);
  const taken = pending.flatMap(({ stored, failure }, index) => {
    const outcome = outcomes[index];
    if (outcome?.kind !== 'taken') return [];
    const { inDigest } = outcome;
    const attempt = (failure?.count ?? 0) + 1;
    const { changeId } = stored.change;
    return [{ changeId, mark: { ...mark, attempt, ...(inDigest && { inDigest }) } }];
  });
  await records.changes.putDelivered(ref.monitorId, sink.name, taken);
  metrics.count('diligence_changes_total', { event: 'delivered' }, taken.length);
  return pending.flatMap((file, index) => {
    const outcome = outcomes[index];
    return outcome?.kind === 'taken' ? [] : [{ file, outcome }];
  });
}

function warnOfMissed(
  { ref, warn }: SweepContext,
  { name }: Sink,
  left: readonly NotTaken[],
): void {
  const [first] = left;
  // The disabling itself was logged.
  if (first === undefined || first.outcome?.kind === 'disabled') return;
  warn('changes did not reach a sink that is not required', {
    monitor: ref.monitorId,
    sink: name,
    changes: left.length,
    why: first.outcome?.why ?? null,
  });
}
