import type { Store } from '../store/store';
import type { MonitorSinkSettings, SinkChoice } from '../environment';
import type { ChangeRepository } from '../store/monitors/changes';
import { CooldownRepository } from '../store/monitors/cooldowns';
import { fingerprintOf, SinkRepository } from '../store/monitors/sinks';
import { CooldownSink } from './cooldown-sink';
import { FileSink } from './file-sink';
import type { Sink } from './sink';
import { SwitchedSink, type OnDisabled } from './switched-sink';
import { WebhookSink } from './webhook-sink';

/** The sinks of an installation, in the order in which they are configured. */
export interface Sinks {
  all: readonly Sink[];
  /** Names of the sinks that must accept a change before it is acknowledged. */
  required: readonly string[];
  /** The sink that sends digests: files contain every change separately. */
  digests: CooldownSink | null;
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
    return new CooldownSink(switched, cooldowns, changes);
  };
  const all = sinks.map(sinkOf);
  const required = sinks.filter((choice) => choice.required).map(({ name }) => name);
  const webhookSink = all.find((sink) => sink instanceof CooldownSink);
  // Without a webhook, changes that a cooldown held back for it go to the files.
  const digests = webhookSink ?? new CooldownSink(new FileSink(store), cooldowns, changes);
  return { all, required, digests };
}
