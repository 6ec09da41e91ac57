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
  withCooldown(archive: Archive, records: MonitorRecords, cooldownMs: number): Sinks {
    const windows = new CooldownWindows(archive);
    const all = this.all.map((sink) =>
      sink instanceof FileSink ? sink : new CooldownSink(sink, windows, records, cooldownMs),
    );
    return new Sinks(all, this.required);
  }

  /** Tells the digests of a monitor that are due. Without a cooldown there are none. */
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

export function openSinks(settings: MonitorSinkSettings, archive: Archive): Sinks {
  const all = settings.sinks.map(({ name }) => sinkOf(name, settings, archive));
  const required = settings.sinks.filter((choice) => choice.required).map(({ name }) => name);
  return new Sinks(all, required);
}

function sinkOf(
  name: SinkChoice['name'],
  { webhook }: MonitorSinkSettings,
  archive: Archive,
): Sink {
  if (name === 'file') return new FileSink(archive);
  if (webhook === null) throw new RangeError('the webhook is not configured');
  const settings = createHash('sha256').update(webhook.url).digest('hex').slice(0, 16);
  return new SwitchedSink(new WebhookSink(webhook), archive, settings);
}
