import { CooldownWindows, sumOfKind, type FiledWindow } from '../archive/cooldown-windows';
import type { MonitorRecords } from '../archive/monitor-records';
import { isOver, judgeRepeat } from '../domain/monitors/cooldown';
import type { Delivery } from '../domain/monitors/delivery';
import type { FiledChange } from '../domain/monitors/kept';
import type { DeliveryBatch, DeliveryOutcome, Sink } from './sink';

/** Changes of one digest: more of them are told in another. */
const mostPerDigest = 500;

/** What became of the digests that were due. */
export interface DigestsTold {
  /** Digests that the sink has taken, and the changes in them. */
  taken: number;
  changes: number;
  /** Why the rest waits; they are told later. */
  waiting: readonly string[];
}

/**
 * A sink that is told repeats together. A folded change counts as taken: it is on file for its
 * digest, which is told by `deliverDue` when its window is over. Without a cooldown nothing is folded,
 * and every window is over: what an earlier cooldown held back is still told.
 */
export class CooldownSink implements Sink {
  readonly name: string;
  readonly #inner: Sink;
  readonly #windows: CooldownWindows;
  readonly #records: MonitorRecords;
  readonly #cooldownMs: number | null;

  constructor(
    inner: Sink,
    windows: CooldownWindows,
    records: MonitorRecords,
    cooldownMs: number | null,
  ) {
    this.name = inner.name;
    this.#inner = inner;
    this.#windows = windows;
    this.#records = records;
    this.#cooldownMs = cooldownMs;
  }

  /** The same sink with another cooldown. */
  withCooldown(cooldownMs: number): CooldownSink {
    return new CooldownSink(this.#inner, this.#windows, this.#records, cooldownMs);
  }

  async deliver(batch: DeliveryBatch, signal?: AbortSignal): Promise<DeliveryOutcome[]> {
    const cooldownMs = this.#cooldownMs;
    if (cooldownMs === null) return this.#inner.deliver(batch, signal);
    const windows = await this.#windows.of(batch.monitorId);
    const outcomes: (DeliveryOutcome | null)[] = [];
    for (const delivery of batch.deliveries) {
      outcomes.push(await this.#foldedOutcome(delivery, windows, batch, cooldownMs));
    }
    const told = batch.deliveries.filter((_, place) => outcomes[place] === null);
    const answers = await this.#inner.deliver({ ...batch, deliveries: told }, signal);
    return outcomes.map((outcome) => outcome ?? (answers.shift() as DeliveryOutcome));
  }

  /** Tells the digests of a monitor whose windows are over. Those that fail stay on file. */
  async deliverDue(
    { monitorId, sweep, at }: Omit<DeliveryBatch, 'deliveries'>,
    signal?: AbortSignal,
  ): Promise<DigestsTold> {
    const told = { taken: 0, changes: 0, waiting: [] as string[] };
    for (const windows of (await this.#windows.of(monitorId)).values()) {
      for (const window of windows) {
        if (!window.closed && !isOver(window, at, this.#cooldownMs ?? 0)) continue;
        if (window.folded.size === 0 && !window.closed) {
          await this.#windows.forget(window);
          continue;
        }
        const outcome = await this.#tellDigest(window, { monitorId, sweep, at }, signal);
        if (typeof outcome === 'string') told.waiting.push(outcome);
        else {
          told.taken += 1;
          told.changes += outcome;
        }
      }
    }
    return told;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Null: it is told by itself. */
  async #foldedOutcome(
    delivery: Delivery,
    windows: Map<string, FiledWindow[]>,
    { monitorId, at }: DeliveryBatch,
    cooldownMs: number,
  ): Promise<DeliveryOutcome | null> {
    if (delivery.kind === 'digest') return null;
    const kind = sumOfKind(delivery.filed);
    const its = windows.get(kind) ?? [];
    windows.set(kind, its);
    const verdict = judgeRepeat(delivery.id, its, at, cooldownMs);
    switch (verdict.kind) {
      case 'tell':
        return null;
      case 'open': {
        const opened = { changeId: delivery.id, at };
        its.push(await this.#windows.open(monitorId, kind, verdict.number, opened));
        return null;
      }
      case 'fold': {
        const window = its.find(({ number }) => number === verdict.number) as FiledWindow;
        const isFolded = await this.#windows.fold(window, delivery.id);
        return isFolded ? { kind: 'taken', digest: window.folder } : null;
      }
    }
  }

  /** @returns how many changes it told, or why it was not taken */
  async #tellDigest(
    window: FiledWindow,
    batch: Omit<DeliveryBatch, 'deliveries'>,
    signal?: AbortSignal,
  ): Promise<number | string> {
    const chosen = [...window.folded].slice(0, mostPerDigest);
    const filed = window.digest ?? (await this.#windows.close(window, chosen));
    const changes: FiledChange[] = [];
    for (const changeId of filed.changeIds) {
      const change = await this.#records.filed(batch.monitorId, changeId);
      if (change !== null) changes.push(change);
    }
    const [first] = changes;
    if (first !== undefined) {
      const seen = changes.map(({ seenAt }) => seenAt).sort();
      const { type, severity } = first.change;
      const digest = {
        monitorId: batch.monitorId,
        type,
        severity,
        from: seen[0] ?? first.seenAt,
        to: seen.at(-1) ?? first.seenAt,
        changes,
      };
      const deliveries: Delivery[] = [{ kind: 'digest', id: filed.id, digest }];
      const [outcome] = await this.#inner.deliver({ ...batch, deliveries }, signal);
      if (outcome?.kind !== 'taken') return outcome?.why ?? 'the sink told nothing';
    }
    await this.#windows.clear(window, filed);
    return changes.length;
  }
}
