import { getJson, keySegment, type Archive } from '../archive/archive';
import type { DeliveryBatch, DeliveryOutcome, Sink } from './sink';

/** `sinks/<name>/disabled.json`: a sink asked for no more. */
export interface DisabledSink {
  at: string;
  why: string;
  /** What it was: one with other settings is another one, and is asked. */
  settings: string;
}

/** A sink that stays disabled, for every worker, once it said so. */
export class SwitchedSink implements Sink {
  readonly name: string;
  readonly #inner: Sink;
  readonly #archive: Archive;
  readonly #settings: string;

  /** @param settings a fingerprint of them */
  constructor(inner: Sink, archive: Archive, settings: string) {
    this.name = inner.name;
    this.#inner = inner;
    this.#archive = archive;
    this.#settings = settings;
  }

  async deliver(batch: DeliveryBatch, signal?: AbortSignal): Promise<DeliveryOutcome[]> {
    if (batch.deliveries.length === 0) return [];
    const disabled = await disabledSink(this.#archive, this.name);
    if (disabled?.settings === this.#settings) {
      return batch.deliveries.map(() => ({ kind: 'disabled', why: disabled.why }));
    }
    const outcomes = await this.#inner.deliver(batch, signal);
    const ended = outcomes.find((outcome) => outcome.kind === 'disabled');
    if (ended !== undefined) {
      const at = new Date(batch.at).toISOString();
      const record: DisabledSink = { at, why: ended.why, settings: this.#settings };
      await this.#archive.replace(keyOf(this.name), JSON.stringify(record), { durable: true });
    }
    return outcomes;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

/** Null: it takes changes. */
export function disabledSink(archive: Archive, name: string): Promise<DisabledSink | null> {
  return getJson<DisabledSink>(archive, keyOf(name));
}

/** It is asked again from now on. */
export async function enableSink(archive: Archive, name: string): Promise<void> {
  await archive.remove(keyOf(name));
}

function keyOf(name: string): string {
  return `sinks/${keySegment(name)}/disabled.json`;
}
