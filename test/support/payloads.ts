import type { Payload } from '@temporalio/common';
import type { RunHistory } from './histories';

/** Every payload of some histories, but those of search attributes, which no codec reaches. */
export function payloadsOf(histories: readonly Pick<RunHistory, 'events'>[]): Payload[] {
  const found: Payload[] = [];
  for (const { events } of histories) for (const event of events) collect(event, found);
  return found;
}

/** The ids of the keys that payloads are encrypted with; `in the clear` for those that are not. */
export function keyIdsOf(payloads: readonly Payload[]): Set<string> {
  const ids = payloads.map(({ metadata }) => metadata?.['encryption-key-id']);
  return new Set(ids.map((id) => (id == null ? 'in the clear' : Buffer.from(id).toString())));
}

function collect(value: unknown, found: Payload[]): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  const payload: Payload = value;
  if (payload.metadata?.['encoding'] != null) {
    found.push(payload);
    return;
  }
  for (const [name, part] of Object.entries(value)) {
    if (name !== 'searchAttributes') collect(part, found);
  }
}
