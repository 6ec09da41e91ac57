import type { Delivery } from '../domain/monitors/delivery';
import type { NewDeliveryFailure } from '../domain/monitors/stored';

/** The sweep of a delivery. */
export interface DeliveryRef {
  monitorId: string;
  sweep: string;
  /** Epoch milliseconds. */
  at: number;
  /** Repeats within it are sent together; null: each separately. */
  cooldownMs: number | null;
}

export interface DeliveryBatch extends DeliveryRef {
  deliveries: readonly Delivery[];
}

/** Result of one delivery. */
export type DeliveryOutcome =
  | { kind: 'taken'; inDigest?: true }
  /** Retry, not before `againInMs` (null: at any time). */
  | { kind: 'failed'; why: string; againInMs: number | null }
  /** Not attempted, because the batch ran out of time. */
  | { kind: 'untried'; why: string }
  /** The sink will never accept it unchanged. */
  | { kind: 'refused'; why: string }
  /** The sink is disabled until a person enables it. */
  | { kind: 'disabled'; why: string };

/** Receives changes, at least once; the delivery id makes repeats harmless. */
export interface Sink {
  /** Part of keys in the store: `file`, `webhook`. */
  readonly name: string;
  /**
   * One outcome for each delivery, in order. A failed one does not block others.
   *
   * @throws when aborted, and when the store fails: the state of the batch is unknown then
   */
  deliver(batch: DeliveryBatch, signal?: AbortSignal): Promise<DeliveryOutcome[]>;
  close(): Promise<void>;
}

/** @param outcome undefined: the sink did not report one */
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
