/** The changes of one monitor, in order of detection. */

import type { JsonObject } from '../http/answer';
import { comparePlaces, type Place } from '../http/list-pages';
import type { ChangeScript, SeverityWord } from './monitor-scenario';

export interface HeldChange extends Pick<ChangeScript, 'answer' | 'ack'> {
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
}

export const placeOf = ({ detectedAt, ordinal }: HeldChange): Place => [detectedAt, ordinal];

export const changeStatus = ({ acknowledgedAt }: HeldChange) =>
  acknowledgedAt === null ? 'open' : 'acknowledged';

/** @returns whether it moved: an acknowledged change keeps its first instant */
export function acknowledge(change: HeldChange, at: number, by: 'client' | 'other'): boolean {
  if (by === 'client') change.acks += 1;
  if (change.acknowledgedAt !== null) return false;
  change.acknowledgedAt = at;
  change.acknowledgedBy = by;
  return true;
}

export class HeldChanges {
  #all: HeldChange[] = [];
  readonly #byId = new Map<string, HeldChange>();

  add(changes: readonly HeldChange[]): void {
    for (const change of changes) this.#byId.set(change.id, change);
    this.#all = [...this.#all, ...changes].sort((a, b) => comparePlaces(placeOf(a), placeOf(b)));
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

  appeared(now: number): HeldChange[] {
    return this.#all.filter(({ detectedAt }) => detectedAt <= now);
  }
}
