import { createHash } from 'node:crypto';
import type { Store } from '../store';

export interface DisabledSink {
  at: string;
  why: string;
  /** Its settings: with other settings it is another sink, and enabled. */
  settings: string;
}

export class SinkRepository {
  readonly #records: Store['records'];

  constructor({ records }: Store) {
    this.#records = records;
  }

  disabled(name: string): Promise<DisabledSink | null> {
    return this.#records.getJson<DisabledSink>(keyOf(name));
  }

  disable(name: string, disabled: DisabledSink): Promise<void> {
    return this.#records.replace(keyOf(name), JSON.stringify(disabled));
  }

  enable(name: string): Promise<void> {
    return this.#records.remove(keyOf(name));
  }

  /** The configured sinks, with those disabled under their current settings. */
  async now<Choice extends { name: string }>(settings: {
    sinks: readonly Choice[];
    webhook: { url: string } | null;
  }): Promise<(Choice & { disabled: DisabledSink | null })[]> {
    const now = settings.webhook && fingerprintOf(settings.webhook);
    const reported = settings.sinks.map(async (choice) => {
      const disabled = await this.disabled(choice.name);
      return { ...choice, disabled: disabled?.settings === now ? disabled : null };
    });
    return Promise.all(reported);
  }
}

/** Of the settings of a webhook: another address is another sink. */
export function fingerprintOf({ url }: { url: string }): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 16);
}

function keyOf(name: string): string {
  return `disabled-sinks/${name}`;
}
