import { createHash } from 'node:crypto';
import { keySegment, toJsonLines } from '../store/records';
import type { Store } from '../store/store';
import { changeFiles } from '../store/monitors/monitors';
import { erasedChange } from '../store/erasure/tombstones';
import { deliveryBody, type Delivery } from '../domain/monitors/delivery';
import type { DeliveryBatch, DeliveryOutcome, Sink } from './sink';

/**
 * Changes as newline-delimited JSON in the store: `changes/<day>/<monitor>-<sum of its ids>.ndjson`,
 * those of a digest separately. The same batch again is the same object. After a crash a change may
 * be in two of them: its id identifies it.
 */
export class FileSink implements Sink {
  readonly name = 'file';
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async deliver(batch: DeliveryBatch): Promise<DeliveryOutcome[]> {
    if (batch.deliveries.length > 0) {
      const lines = batch.deliveries.flatMap(changesOf).map((delivery) => lineOf(delivery, batch));
      const body = toJsonLines(lines);
      await this.#store.records.putIfAbsent(keyOf(batch), body);
    }
    return batch.deliveries.map(() => ({ kind: 'taken' }));
  }

  async close(): Promise<void> {
    // No open resources.
  }
}

function keyOf({ monitorId, deliveries, at }: DeliveryBatch): string {
  const sum = createHash('sha256');
  for (const { id } of deliveries) sum.update(`${id}\n`);
  const day = new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return `${changeFiles}${day}/${keySegment(monitorId)}-${sum.digest('hex').slice(0, 16)}.ndjson`;
}

/** Skips erased changes, even when they are in memory: they must not return to the store. */
function changesOf(delivery: Delivery): Delivery[] {
  const stored = delivery.kind === 'change' ? [delivery.stored] : delivery.digest.changes;
  return stored.map((one) => ({
    kind: 'change',
    id: one.change.changeId,
    stored: one.erased === true ? erasedChange(one) : one,
  }));
}

function lineOf(delivery: Delivery, { sweep, at }: DeliveryBatch): unknown {
  return { ...deliveryBody(delivery), sweep, stored_at: new Date(at).toISOString() };
}
