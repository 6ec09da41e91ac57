import { queueKinds } from '../domain/core/queues';
import type { KeyRing } from '../protection/key-ring';
import type { EngineClient } from './connection';
import type { KeyCheck } from './key-checks';
import { queuePollers } from './queue-pollers';
import { keyMark, keyMarksOf } from './worker-identity';

/** A worker that polls our queues, and what its name tells of its keys. */
export interface KeyHolder {
  identity: string;
  /** Of `keyMark`. Null when it does not tell: it is older than payload keys, or not ours. */
  marks: string[] | null;
}

/**
 * A rotation has two steps (decision record 012): every process gets the new key last in its list, to open
 * with; then it moves first, to seal with. Otherwise somebody could not read what another writes.
 */
export type RotationStep =
  | { kind: 'add' }
  /** @property lacking workers that do not hold the key yet: until there are none, it must wait */
  | { kind: 'move first'; id: string; lacking: KeyHolder[] };

/** @param known registered keys, oldest first; the list can open them all */
export function nextStep(
  ring: KeyRing,
  known: readonly KeyCheck[],
  holders: readonly KeyHolder[],
): RotationStep {
  const id = waitingKey(ring, known);
  if (id === null) return { kind: 'add' };
  const mark = keyMark(ring, id);
  const lacking = holders.filter(({ marks }) => marks === null || !marks.includes(mark));
  return { kind: 'move first', id, lacking };
}

/** Workers that lack a key which the store asks for: they started while it was brought in. */
export function leftBehind(
  ring: KeyRing,
  known: readonly KeyCheck[],
  holders: readonly KeyHolder[],
): KeyHolder[] {
  const asked = known.map(({ id }) => keyMark(ring, id));
  return holders.filter(
    ({ marks }) => marks === null || !asked.every((one) => marks.includes(one)),
  );
}

/** The key that has been added and not been used yet. What once was first is registered, and older. */
function waitingKey(ring: KeyRing, known: readonly KeyCheck[]): string | null {
  const { ids } = ring;
  const last = ids.at(-1);
  if (last === undefined || ids.length === 1) return null;
  if (!known.some(({ id }) => id === last)) return last;
  const newest = known.at(-1)?.id;
  return newest === undefined || newest === ids[0] ? null : newest;
}

/**
 * Workers of this store, by any of its queues. One that has ended shows for a minute and a half, the
 * last one for five; by the server's clock, since a wrong one of ours must not hide who lacks a key.
 */
export async function keyHolders(engine: EngineClient, suffix: string): Promise<KeyHolder[]> {
  const identities = new Set<string>();
  for (const kind of queueKinds) {
    for (const identity of await queuePollers(engine, kind, suffix, 'server'))
      identities.add(identity);
  }
  return [...identities].sort().map((identity) => ({ identity, marks: keyMarksOf(identity) }));
}
