/** The changes of one monitor: in order of detection, those that are open found at once. */

import type { JsonObject } from '../engine/answer';
import type { ChangeScript, SeverityWord } from './monitor-scenario';

export interface HeldChange {
  id: string;
  monitorId: string;
  /** Order of entry, which settles equal instants. */
  ordinal: number;
  severity: SeverityWord;
  type: string;
  /** Null: drawn when it is shown. */
  before: JsonObject | null;
  after: JsonObject | null;
  /** Milliseconds since 1970. From then on it is listed. */
  detectedAt: number;
  acknowledgedAt: number | null;
  acknowledgedBy: 'client' | 'other' | null;
  /** Acknowledgements by the client that were acted on, repeated ones too. */
  acks: number;
  answer: ChangeScript['answer'];
  ack: ChangeScript['ack'];
}

/** A place in the order: everything before it has been shown. */
export type Place = Pick<HeldChange, 'detectedAt' | 'ordinal'>;

function precedes(a: Place, b: Place): boolean {
  return a.detectedAt === b.detectedAt ? a.ordinal < b.ordinal : a.detectedAt < b.detectedAt;
}

/** Index of the first entry that does not come before the place. */
function indexOf(sorted: readonly HeldChange[], place: Place): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = sorted[middle];
    if (entry !== undefined && precedes(entry, place)) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class HeldChanges {
  #all: HeldChange[] = [];
  #open: HeldChange[] = [];
  readonly #byId = new Map<string, HeldChange>();

  get size(): number {
    return this.#all.length;
  }

  add(changes: readonly HeldChange[]): void {
    for (const change of changes) this.#byId.set(change.id, change);
    const order = (a: HeldChange, b: HeldChange) => (precedes(a, b) ? -1 : 1);
    this.#all = [...this.#all, ...changes].toSorted(order);
    this.#open = this.#all.filter((change) => change.acknowledgedAt === null);
  }

  /** A change that has appeared by then; undefined for others. */
  find(id: string, now: number): HeldChange | undefined {
    const change = this.#byId.get(id.toLowerCase());
    return change !== undefined && change.detectedAt <= now ? change : undefined;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  all(): readonly HeldChange[] {
    return this.#all;
  }

  /** @returns whether it moved: an acknowledged change keeps its first instant */
  acknowledge(change: HeldChange, at: number, by: 'client' | 'other'): boolean {
    if (by === 'client') change.acks += 1;
    if (change.acknowledgedAt !== null) return false;
    const index = indexOf(this.#open, change);
    if (this.#open[index] === change) this.#open.splice(index, 1);
    change.acknowledgedAt = at;
    change.acknowledgedBy = by;
    return true;
  }

  /**
   * Changes that have appeared, from a place or a number of them on, in the given direction.
   *
   * @param wanted how many at most
   */
  walk({
    now,
    openOnly,
    newestFirst,
    severity,
    from,
    skip,
    wanted,
  }: {
    now: number;
    openOnly: boolean;
    newestFirst: boolean;
    severity: SeverityWord | null;
    from: Place | null;
    skip: number;
    wanted: number;
  }): HeldChange[] {
    const list = openOnly ? this.#open : this.#all;
    const end = indexOf(list, { detectedAt: now, ordinal: Number.POSITIVE_INFINITY });
    const found: HeldChange[] = [];
    let left = skip;
    const step = newestFirst ? -1 : 1;
    let index = firstIndex(list, { newestFirst, from, end });
    for (; index >= 0 && index < end && found.length < wanted; index += step) {
      const change = list[index];
      if (change === undefined || (severity !== null && change.severity !== severity)) continue;
      if (left > 0) left -= 1;
      else found.push(change);
    }
    return found;
  }

  countOpen(now: number): number {
    return indexOf(this.#open, { detectedAt: now, ordinal: Number.POSITIVE_INFINITY });
  }

  countAppeared(now: number): number {
    return indexOf(this.#all, { detectedAt: now, ordinal: Number.POSITIVE_INFINITY });
  }
}

function firstIndex(
  list: readonly HeldChange[],
  { newestFirst, from, end }: { newestFirst: boolean; from: Place | null; end: number },
): number {
  if (from === null) return newestFirst ? end - 1 : 0;
  return newestFirst
    ? Math.min(end, indexOf(list, from)) - 1
    : indexOf(list, { ...from, ordinal: from.ordinal + 0.5 });
}
