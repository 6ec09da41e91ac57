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
  await archive.replace(keyOf(name), JSON.stringify(disabled), { durable: true });
}

/** It is asked again from now on. */
export async function enableSink(archive: Archive, name: string): Promise<void> {
  await archive.remove(keyOf(name));
}

function keyOf(name: string): string {
  return `sinks/${keySegment(name)}/disabled.json`;
}
