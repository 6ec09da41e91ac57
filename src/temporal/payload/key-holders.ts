import { hostname } from 'node:os';
import { queueKinds } from '../../domain/core/queues';
import type { KeyRing } from '../../protection/key-ring';
import type { EngineClient } from '../connection';
import { queuePollers } from '../queue-pollers';
import type { KeyCheck } from './store-keys';

/** Temporal takes no longer name for a worker (`limit.maxIDLength`). */
const longest = 255;
const mark = ' keys=';
const shownCheckDigits = 8;

/**
 * The name that a worker polls under: process, machine, and the keys that it holds, so that
 * `keys rotate` knows when all have a new one. Which keys is no secret.
 */
export function workerIdentity(keys: KeyRing): string {
  const who = `${process.pid}@${hostname().slice(0, 60)}`;
  const marks = keys.ids.map((id) => keyMark(keys, id));
  const text = (): string => `${who}${mark}${marks.join('+')}`;
  // The first and the last are those that a rotation asks for.
  while (text().length > longest && marks.length > 2) marks.splice(-2, 1);
  return text();
}

/** A worker that polls our queues. */
export interface KeyHolder {
  /** Process and machine. */
  worker: string;
  /** Of `keyMark`. Null when its name has none: it is not ours. */
  marks: string[] | null;
}

/** Tells a key from another by the same name. */
export function keyMark(ring: KeyRing, id: string): string {
  return `${id}.${ring.checkValue(id).slice(0, shownCheckDigits)}`;
}

/** @param identity of `workerIdentity`, or of a stranger */
export function keyHolder(identity: string): KeyHolder {
  const at = identity.lastIndexOf(mark);
  if (at < 0) return { worker: identity, marks: null };
  return { worker: identity.slice(0, at), marks: identity.slice(at + mark.length).split('+') };
}

/**
 * Workers of this store, by any of its queues. One that has ended shows for a minute and a half, the
 * last one for five; by the server's clock, since a wrong one of ours must not hide who lacks a key.
 */
export async function keyHolders(engine: EngineClient, suffix: string): Promise<KeyHolder[]> {
  const polls = queueKinds.map((kind) => queuePollers(engine, kind, suffix, 'server'));
  const identities = new Set((await Promise.all(polls)).flat());
  return [...identities].sort().map(keyHolder);
}

/**
 * A rotation has two steps: every process gets the new key last in its list, to open with; then it moves
 * first, to seal with. Otherwise somebody could not read what another writes.
 */
export interface RotationStep {
  /** The key that has been added and not been used yet, which is to move first; null: a key is to be added. */
  waiting: string | null;
  /** Workers that lack it, or a key that the store asks for. Nothing moves first before there are none. */
  lacking: KeyHolder[];
}

/** @param known registered keys, oldest first; the list can open them all */
export function nextStep(
  ring: KeyRing,
  known: readonly KeyCheck[],
  holders: readonly KeyHolder[],
): RotationStep {
  const waiting = waitingKey(ring, known);
  const requested = known.map(({ id }) => id).concat(waiting ?? []);
  const marks = [...new Set(requested)].map((id) => keyMark(ring, id));
  return {
    waiting,
    lacking: holders.filter((holder) => !marks.every((one) => holder.marks?.includes(one))),
  };
}

/** What once was first is registered, and older than what is waiting. */
function waitingKey({ ids }: KeyRing, known: readonly KeyCheck[]): string | null {
  const last = ids.at(-1);
  if (last === undefined || ids.length === 1) return null;
  if (!known.some(({ id }) => id === last)) return last;
  const newest = known.at(-1)?.id;
  return newest === undefined || newest === ids[0] ? null : newest;
}
