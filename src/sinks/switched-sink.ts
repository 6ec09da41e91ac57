import type { SinkRepository } from '../store/monitors/sinks';
import type { DeliveryBatch, DeliveryOutcome, Sink } from './sink';

/** Called once, by the worker that received the answer. */
export type OnDisabled = (name: string, why: string) => void;

/** A sink that stays disabled, for every worker, once it has reported that. */
export class SwitchedSink implements Sink {
  readonly name: string;
  readonly #inner: Sink;
  readonly #sinks: SinkRepository;
  readonly #settings: string;
  readonly #onDisabled: OnDisabled;

  /** @param settings their fingerprint */
  constructor(
    inner: Sink,
    sinks: SinkRepository,
    settings: string,
    onDisabled: OnDisabled = () => undefined,
  ) {
    this.name = inner.name;
    this.#inner = inner;
    this.#sinks = sinks;
    this.#settings = settings;
    this.#onDisabled = onDisabled;
  }

  async deliver(batch: DeliveryBatch, signal?: AbortSignal): Promise<DeliveryOutcome[]> {
    if (batch.deliveries.length === 0) return [];
    const disabled = await this.#sinks.disabled(this.name);
    if (disabled?.settings === this.#settings) {
      return batch.deliveries.map(() => ({ kind: 'disabled', why: disabled.why }));
    }
    const outcomes = await this.#inner.deliver(batch, signal);
    const ended = outcomes.find((outcome) => outcome.kind === 'disabled');
    if (ended !== undefined) {
      const at = new Date(batch.at).toISOString();
      const { why } = ended;
      await this.#sinks.disable(this.name, { at, why, settings: this.#settings });
      this.#onDisabled(this.name, why);
    }
    return outcomes;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
