import type { Store } from '../store/store';
import { ConfigError, type Environment } from '../environment';
import type { KeyRing } from '../protection/key-ring';
import { findPayloadKeys, remarksOn, type PayloadKeys } from './payload-keys';

/** `keys/<id>.json`: proof that a list holds the key that this store's payloads are sealed with. */
export interface KeyCheck {
  id: string;
  check: string;
  createdAt: string;
}

/** A first key without a check value, one that is missing, or another key by the same id. */
export type KeyFault =
  | { kind: 'missing'; id: string }
  | { kind: 'differs'; id: string }
  | { kind: 'not known'; id: string };

/** Whose engine it is: what it holds is sealed with the keys that this store knows. */
export interface EngineSite {
  environment: Environment;
  store: Store;
}

/**
 * The payload keys of the installation, proven to be those of its store.
 *
 * @param say gets what must be said of them at a start
 * @throws ConfigError of `findPayloadKeys` and `proveKeys`
 */
export async function provenKeys(
  { environment, store }: EngineSite,
  engine: 'embedded' | 'server',
  say: (line: string) => void,
): Promise<PayloadKeys> {
  const found = await findPayloadKeys(environment, engine);
  for (const remark of remarksOn(found, environment)) say(remark);
  await proveKeys(store, found.keys);
  return found;
}

/**
 * Makes sure that the keys are those of this store, before anything is polled or sent: a worker
 * with a wrong key uses up attempts, and writes failures that nobody else can read (decision record 012).
 * A store that knows no key yet takes the first one of the list.
 *
 * @throws ConfigError that names the key
 */
export async function proveKeys(store: Store, keys: KeyRing | 'off'): Promise<void> {
  if (keys !== 'off' && (await keyChecks(store)).length === 0) {
    await registerKey(store, keys, keys.ids[0] ?? '');
  }
  // Another may have been first, with another key.
  await refuseOtherKeys(store, keys);
}

/**
 * As `proveKeys`, for who only looks: a store that knows no key yet is content with any.
 *
 * @throws ConfigError that names the key
 */
export async function refuseOtherKeys(store: Store, keys: KeyRing | 'off'): Promise<void> {
  const known = await keyChecks(store);
  const fault = known.length === 0 ? null : keyFault(keys, known);
  if (fault !== null) throw new ConfigError('DILIGENCE_PAYLOAD_KEYS', faultSentence(fault, keys));
}

/** Null when the list can open all that the store asks for, and its first key is among that. */
export function keyFault(keys: KeyRing | 'off', known: readonly KeyCheck[]): KeyFault | null {
  for (const { id, check } of known) {
    if (keys === 'off' || !keys.ids.includes(id)) return { kind: 'missing', id };
    if (keys.checkValue(id) !== check) return { kind: 'differs', id };
  }
  const first = keys === 'off' ? undefined : keys.ids[0];
  if (first === undefined || known.some(({ id }) => id === first)) return null;
  return { kind: 'not known', id: first };
}

/** What is wrong with the list, as the rest of a sentence about it. */
export function faultSentence(fault: KeyFault, keys: KeyRing | 'off'): string {
  const { id } = fault;
  if (fault.kind === 'missing') {
    const lack = keys === 'off' ? 'is `off`' : `lacks the key ${id}`;
    return `${lack}, and this store's payloads are encrypted with ${id}: set the list that its other workers have (\`diligence keys check\`)`;
  }
  if (fault.kind === 'differs') {
    return `has another key by the name ${id} than this store's payloads are encrypted with: set the list that its other workers have`;
  }
  return `has ${id} first, which the store does not know: put it last, and bring it in with \`diligence keys rotate\``;
}

/** Registered keys, oldest first. */
export async function keyChecks(store: Store): Promise<KeyCheck[]> {
  const paths = await store.records.list('keys/');
  const checks = await Promise.all(paths.map((path) => store.records.getJson<KeyCheck>(path)));
  return checks
    .filter((check) => check !== null)
    .sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}

/** From now on no process starts without this key. Does nothing when the store knows it. */
export async function registerKey(store: Store, ring: KeyRing, id: string): Promise<void> {
  const newest = (await keyChecks(store)).at(-1);
  // The order tells how far a rotation is, whatever the clocks of its machines say.
  const after = newest === undefined ? 0 : Date.parse(newest.createdAt) + 1;
  const createdAt = new Date(Math.max(Date.now(), after)).toISOString();
  const check: KeyCheck = { id, check: ring.checkValue(id), createdAt };
  await store.records.putIfAbsent(`keys/${id}.json`, `${JSON.stringify(check, null, 2)}\n`);
}
