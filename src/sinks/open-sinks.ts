import type { Store } from '../store/store';
import type { MonitorSinkSettings, SinkChoice } from '../environment';
import type { ChangeRepository } from '../store/monitors/changes';
import { CooldownRepository } from '../store/monitors/cooldowns';
import { fingerprintOf, SinkRepository } from '../store/monitors/sinks';
import type { ChangeTrouble } from '../domain/monitors/kept';
import { CooldownSink, type DueDigests } from './cooldown-sink';
import { FileSink } from './file-sink';
import type { DeliveryBatch, Sink } from './sink';
import { SwitchedSink, type OnDisabled } from './switched-sink';
import { WebhookSink } from './webhook-sink';

/** The sinks of an installation. */
export class Sinks {
  readonly all: readonly Sink[];
  /** Names of those that a change must have reached before it is acknowledged. */
  readonly required: readonly string[];
  readonly #drain: CooldownSink | null;
  /** The one that tells digests. */
  readonly #cooled: CooldownSink | null;

  /** @param drain tells what was held back for a sink that is in use no more */
  constructor(
    all: readonly Sink[],
    required: readonly string[],
    drain: CooldownSink | null = null,
  ) {
    this.all = all;
    this.required = required;
    this.#drain = drain;
    this.#cooled = drain ?? all.find((sink) => sink instanceof CooldownSink) ?? null;
  }

  /** Of all, in the order in which they are configured. */
  get names(): string[] {
    return this.all.map(({ name }) => name);
  }

  /** The same with a cooldown on those that tell somebody: files hold each change by itself. */
  withCooldown(cooldownMs: number): Sinks {
    const all = this.all.map((sink) =>
      sink instanceof CooldownSink ? sink.withCooldown(cooldownMs) : sink,
    );
    return new Sinks(all, this.required, this.#drain);
  }

  /** Delivers the digests of a monitor that are due; without a cooldown all that one has left behind. */
  async deliverDue(
    batch: Omit<DeliveryBatch, 'deliveries'>,
    signal?: AbortSignal,
  ): Promise<DueDigests> {
    const none = { failures: [], isWaiting: false, isDisabled: false };
    return this.#cooled === null ? none : this.#cooled.deliverDue(batch, signal);
  }

  /** Failures of digests of a monitor that were not delivered so far. */
  async undelivered(monitorId: string): Promise<ChangeTrouble[]> {
    return this.#cooled === null ? [] : this.#cooled.undelivered(monitorId);
  }

  /** `deliverDue` has something to do, or to say. */
  async hasDue(monitorId: string, at: number): Promise<boolean> {
    return this.#cooled !== null && this.#cooled.hasDue(monitorId, at);
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((sink) => sink.close()));
  }
}

export function openSinks(
  { sinks, webhook }: MonitorSinkSettings,
  store: Store,
  changes: ChangeRepository,
  onDisabled?: OnDisabled,
): Sinks {
  const cooldowns = new CooldownRepository(store);
  const switches = new SinkRepository(store);
  const sinkOf = ({ name }: SinkChoice): Sink => {
    if (name === 'file') return new FileSink(store);
    if (webhook === null) throw new RangeError('the webhook is not configured');
    const inner = new WebhookSink(webhook, webhook);
    const switched = new SwitchedSink(inner, switches, fingerprintOf(webhook), onDisabled);
    return new CooldownSink(switched, cooldowns, changes, null);
  };
  const all = sinks.map(sinkOf);
  const required = sinks.filter((choice) => choice.required).map(({ name }) => name);
  // Without a webhook, what a cooldown held back for it before goes to the files.
  const hasWebhook = all.some((sink) => sink instanceof CooldownSink);
  const drain = new CooldownSink(new FileSink(store), cooldowns, changes, null);
  return new Sinks(all, required, hasWebhook ? null : drain);
}
