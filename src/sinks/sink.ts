import type { Delivery } from '../domain/monitors/delivery';
import type { NewDeliveryFailure } from '../domain/monitors/stored';

/** For which sweep something is delivered. */
export interface DeliveryRef {
  monitorId: string;
  sweep: string;
  /** Epoch milliseconds. */
  at: number;
  /** Repeats within it are sent together; null: each by itself. */
  cooldownMs: number | null;
}

export interface DeliveryBatch extends DeliveryRef {
  deliveries: readonly Delivery[];
}

/** What became of one delivery. */
export type DeliveryOutcome =
  | { kind: 'taken'; inDigest?: true }
  /** Again, not before `againInMs` (null: when the caller likes). */
  | { kind: 'failed'; why: string; againInMs: number | null }
  /** The time of the batch was over before its turn came: nothing is wrong with it. */
  | { kind: 'untried'; why: string }
  /** As it is, the sink will never take it. */
  | { kind: 'refused'; why: string }
  /** The sink takes nothing any more until a person enables it. */
  | { kind: 'disabled'; why: string };

/** Where changes go. Takes a delivery at least once; by its id, once in effect. */
export interface Sink {
  /** Stands in keys of the store: `file`, `webhook`. */
  readonly name: string;
  /**
   * One outcome for each delivery, in their order. One that cannot be delivered keeps no other back.
   *
   * @throws when aborted, and when the store fails: nothing is known of the batch then
   */
  deliver(batch: DeliveryBatch, signal?: AbortSignal): Promise<DeliveryOutcome[]>;
  close(): Promise<void>;
}

/** @param outcome undefined: the sink did not tell of it */
export function failureOf(
  changeId: string,
  sink: string,
  { sweep, at }: Pick<DeliveryRef, 'sweep' | 'at'>,
  outcome: Exclude<DeliveryOutcome, { kind: 'taken' }> | undefined,
): NewDeliveryFailure {
  const againInMs = outcome?.kind === 'failed' ? outcome.againInMs : null;
  return {
    changeId,
    lastAt: new Date(at).toISOString(),
    sweep,
    step: 'deliver',
    sink,
    why: outcome?.why ?? 'the sink did not say what became of it',
    againAt: againInMs === null ? null : new Date(at + againInMs).toISOString(),
  };
}
