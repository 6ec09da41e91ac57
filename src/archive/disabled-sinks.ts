import { createHash } from 'node:crypto';
import { getJson, keySegment, type Archive } from './archive';

/** `sinks/<name>/disabled.json`: a sink asked for no more. */
export interface DisabledSink {
  at: string;
  why: string;
  /** What it was: one with other settings is another one, and is asked. */
  settings: string;
}

/** Null: it takes changes. */
export function disabledSink(archive: Archive, name: string): Promise<DisabledSink | null> {
  return getJson<DisabledSink>(archive, keyOf(name));
}

export async function putDisabledSink(
  archive: Archive,
  name: string,
  disabled: DisabledSink,
): Promise<void> {
  await archive.replace(keyOf(name), JSON.stringify(disabled));
}

/** Of the settings of a webhook: one at another address is another sink. */
export function fingerprintOf({ url }: { url: string }): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 16);
}

/** The sinks that are configured, with what asked for no more as it is configured now. */
export async function sinksNow<Choice extends { name: string }>(
  archive: Archive,
  { sinks, webhook }: { sinks: readonly Choice[]; webhook: { url: string } | null },
): Promise<(Choice & { disabled: DisabledSink | null })[]> {
  const now = webhook === null ? null : fingerprintOf(webhook);
  const found = await Promise.all(sinks.map(({ name }) => disabledSink(archive, name)));
  return sinks.map((choice, place) => {
    const disabled = found[place] ?? null;
    return { ...choice, disabled: disabled?.settings === now ? disabled : null };
  });
}

/** It is asked again from now on. */
export async function enableSink(archive: Archive, name: string): Promise<void> {
  await archive.remove(keyOf(name));
}

function keyOf(name: string): string {
  return `sinks/${keySegment(name)}/disabled.json`;
}
