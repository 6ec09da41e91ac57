import type { Delivery } from '../domain/monitors/delivery';

export interface DeliveryBatch {
  monitorId: string;
  /** Workflow id of the sweep. */
  sweep: string;
  /** Epoch milliseconds. */
  at: number;
  deliveries: readonly Delivery[];
}

/** What became of one delivery. */
export type DeliveryOutcome =
  | { kind: 'taken'; digest?: string }
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
