import { createHash } from 'node:crypto';
import { keySegment, toJsonLines, type Archive } from '../archive/archive';
import { changeFiles, dayOf } from '../archive/monitor-records';
import { deliveryBody, type Delivery } from '../domain/monitors/delivery';
import type { DeliveryBatch, DeliveryOutcome, Sink } from './sink';

/**
 * Changes as newline-delimited JSON in the archive: `changes/<day>/<monitor>-<sum of its ids>.ndjson`.
 * The same batch again is the same object. After a crash a change may stand in two of them: its id
 * tells.
 */
export class FileSink implements Sink {
  readonly name = 'file';
  readonly #archive: Archive;

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  async deliver(batch: DeliveryBatch): Promise<DeliveryOutcome[]> {
    if (batch.deliveries.length > 0) {
      const body = toJsonLines(batch.deliveries.map((delivery) => lineOf(delivery, batch)));
      await this.#archive.putIfAbsent(keyOf(batch), body, { durable: true });
    }
    return batch.deliveries.map(() => ({ kind: 'taken' }));
  }

  async close(): Promise<void> {
    // Nothing is held open.
  }
}

function keyOf({ monitorId, deliveries, at }: DeliveryBatch): string {
  const sum = createHash('sha256');
  for (const { id } of deliveries) sum.update(`${id}\n`);
  const day = dayOf(new Date(at).toISOString());
  return `${changeFiles}${day}/${keySegment(monitorId)}-${sum.digest('hex').slice(0, 16)}.ndjson`;
}

function lineOf(delivery: Delivery, { sweep, at }: DeliveryBatch): unknown {
  return { ...deliveryBody(delivery), sweep, filed_at: new Date(at).toISOString() };
}
