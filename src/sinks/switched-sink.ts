import type { Archive } from '../archive/archive';
import { disabledSink, putDisabledSink } from '../archive/disabled-sinks';
import type { DeliveryBatch, DeliveryOutcome, Sink } from './sink';

/** Told once, by the worker that was answered so. */
export type OnDisabled = (name: string, why: string) => void;

/** A sink that stays disabled, for every worker, once it said so. */
export class SwitchedSink implements Sink {
  readonly name: string;
  readonly #inner: Sink;
  readonly #archive: Archive;
  readonly #settings: string;
  readonly #onDisabled: OnDisabled;

  /** @param settings a fingerprint of them */
  constructor(
    inner: Sink,
    archive: Archive,
    settings: string,
    onDisabled: OnDisabled = () => undefined,
  ) {
    this.name = inner.name;
    this.#inner = inner;
    this.#archive = archive;
    this.#settings = settings;
    this.#onDisabled = onDisabled;
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
      const { why } = ended;
      await putDisabledSink(this.#archive, this.name, { at, why, settings: this.#settings });
      this.#onDisabled(this.name, why);
    }
    return outcomes;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
