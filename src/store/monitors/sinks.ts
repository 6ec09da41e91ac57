import { createHash } from 'node:crypto';
import type { SealedDatabase } from '../sealed-database';
import { insertInto, replacing, statement } from '../statement';
import { rowName } from '../seal';

export interface DisabledSink {
  at: string;
  why: string;
  /** What it was: one with other settings is another one, and is asked. */
  settings: string;
}

/** Sinks that asked for no more changes. */
export class SinkRepository {
  readonly #store: SealedDatabase;

  constructor(store: SealedDatabase) {
    this.#store = store;
  }

  /** Null: it takes changes. */
  async disabled(name: string): Promise<DisabledSink | null> {
    const [row] = await this.#store.read<{ body: Uint8Array }>(
      statement('SELECT body FROM disabled_sink WHERE name = ?', [name]),
    );
    if (row === undefined) return null;
    return this.#store.opened(rowName('disabled_sink', name), row.body) as DisabledSink;
  }

  async disable(name: string, disabled: DisabledSink): Promise<void> {
    const body = await this.#store.sealed(rowName('disabled_sink', name), disabled);
    await this.#store.commit([
      insertInto('disabled_sink', ['name', 'body'], [[name, body]], replacing(['name'], ['body'])),
    ]);
  }

  /** It is asked again from now on. */
  async enable(name: string): Promise<void> {
    await this.#store.commit([statement('DELETE FROM disabled_sink WHERE name = ?', [name])]);
  }

  /** The sinks that are configured, with what asked for no more as it is configured now. */
  async now<Choice extends { name: string }>(settings: {
    sinks: readonly Choice[];
    webhook: { url: string } | null;
  }): Promise<(Choice & { disabled: DisabledSink | null })[]> {
    const { sinks, webhook } = settings;
    const now = webhook === null ? null : fingerprintOf(webhook);
    const found = await Promise.all(sinks.map(({ name }) => this.disabled(name)));
    return sinks.map((choice, place) => {
      const disabled = found[place] ?? null;
      return { ...choice, disabled: disabled?.settings === now ? disabled : null };
    });
  }
}

/** Of the settings of a webhook: one at another address is another sink. */
export function fingerprintOf({ url }: { url: string }): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 16);
}
