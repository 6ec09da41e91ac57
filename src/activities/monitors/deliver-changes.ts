import type { ChangeFile, NewDeliveryFailure } from '../../domain/monitors/stored';
import { failureOf, type DeliveryOutcome, type Sink } from '../../sinks/sink';
import { countFailures, deliveryRef, markNow, type SweepContext } from './context';

/** What became of changes at the sinks. */
export interface Delivered {
  /** Changes that all required sinks have: these may be acknowledged, and no others. */
  held: ChangeFile[];
  /** Of `held`: those that a required sink has taken only now. */
  taken: number;
  /** At least one was not attempted by a required sink in its time: nothing is counted against it. */
  isSlow: boolean;
  /** Names of sinks that take nothing any more until a person enables them. */
  disabled: string[];
}

/** Hands changes to the sinks that do not have them yet, and stores which took them. */
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
      // Nobody waits for it: what it did not take is neither late nor tried again for that.
      if (!sinks.required.includes(sink.name)) return warnOfMissed(ctx, sink, left);
      for (const { file, outcome } of left) {
        const { changeId } = file.stored.change;
        if (outcome?.kind === 'untried') notAttempted.add(changeId);
        // Once a change, whichever of the sinks did not take it.
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

/** What a sink did not take, and why; undefined: it did not say. */
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
  metrics.changesDelivered(sink.name, taken.length);
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
  // That it is disabled was said when it was.
  if (first === undefined || first.outcome?.kind === 'disabled') return;
  warn('changes did not reach a sink that is not required', {
    monitor: ref.monitorId,
    sink: name,
    changes: left.length,
    why: first.outcome?.why ?? null,
  });
}
