import { createHash } from 'node:crypto';
import type { Archive } from '../archive/archive';
import { CooldownWindows } from '../archive/cooldown-windows';
import type { MonitorRecords } from '../archive/monitor-records';
import type { MonitorSinkSettings, SinkChoice } from '../environment';
import { CooldownSink, type DigestsTold } from './cooldown-sink';
import { FileSink } from './file-sink';
import type { DeliveryBatch, Sink } from './sink';
import { SwitchedSink } from './switched-sink';
import { WebhookSink } from './webhook-sink';

/** The sinks of an installation. */
export class Sinks {
  readonly all: readonly Sink[];
  /** Names of those that a change must have reached before it is acknowledged. */
  readonly required: readonly string[];
  readonly #cooled: readonly CooldownSink[];

  constructor(all: readonly Sink[], required: readonly string[]) {
    this.all = all;
    this.required = required;
    this.#cooled = all.filter((sink) => sink instanceof CooldownSink);
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
    return new Sinks(all, this.required);
  }

  /** Tells the digests of a monitor that are due; without a cooldown all that one has left behind. */
  async deliverDue(
    batch: Omit<DeliveryBatch, 'deliveries'>,
    signal?: AbortSignal,
  ): Promise<DigestsTold> {
    const sum = { taken: 0, changes: 0, waiting: [] as string[] };
    for (const sink of this.#cooled) {
      const told = await sink.deliverDue(batch, signal);
      sum.taken += told.taken;
      sum.changes += told.changes;
      sum.waiting.push(...told.waiting);
    }
    return sum;
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((sink) => sink.close()));
  }
}

export function openSinks(
  { sinks, webhook }: MonitorSinkSettings,
  archive: Archive,
  records: MonitorRecords,
): Sinks {
  const sinkOf = ({ name }: SinkChoice): Sink => {
    if (name === 'file') return new FileSink(archive);
    if (webhook === null) throw new RangeError('the webhook is not configured');
    const settings = createHash('sha256').update(webhook.url).digest('hex').slice(0, 16);
    const switched = new SwitchedSink(new WebhookSink(webhook, webhook), archive, settings);
    return new CooldownSink(switched, new CooldownWindows(archive), records, null);
  };
  const required = sinks.filter((choice) => choice.required);
  return new Sinks(
    sinks.map(sinkOf),
    required.map(({ name }) => name),
  );
}
