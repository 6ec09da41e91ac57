import type { Tell } from '../../domain/job';
import { ConfigError, type Environment } from '../../environment';
import type { IdKey } from '../../protection/id-key';
import type { KeyRing } from '../../protection/key-ring';
import { openStore } from '../../store/open-store';
import type { Store } from '../../store/store';
import { findPayloadKeys, type EngineKind } from './payload-keys';

/**
 * The store of this installation, sealed with its payload keys. Before anything is sealed they are proven
 * to be those of the store: what another key sealed, nobody else could read.
 *
 * @param say gets one line when keys were generated
 * @throws StoreConfigError, and ConfigError when there are no keys for it
 */
export async function openOwnStore(
  settings: Pick<Environment, 'storeUrl' | 'blobsUrl' | 'payloadKeys' | 'dataDir'>,
  idKey: IdKey,
  engine: EngineKind,
  say: Tell,
): Promise<Store> {
  const keys = await findPayloadKeys(settings, engine, say);
  const sealing = { keys, proveKeys: (store: Store) => proveKeys(store, keys) };
  const store = await openStore(settings, idKey, sealing);
  // With another list, what is sealed would look as if somebody had altered it.
  await refuseOtherKeys(store, keys);
  return store;
}

/** `keys/<id>.json`: proof that a list holds the key that this store's payloads are sealed with. */
export interface KeyCheck {
  id: string;
  check: string;
  createdAt: string;
}

/**
 * Makes sure that the keys are those of this store, before anything is polled or sent: a worker
 * with a wrong key uses up attempts, and writes failures that nobody else can read.
 * A store that knows no key yet takes the first one of the list.
 *
 * @throws ConfigError that names the key
 */
export async function proveKeys(store: Store, keys: KeyRing): Promise<void> {
  if ((await keyChecks(store)).length === 0) await registerKey(store, keys, keys.ids[0] ?? '');
  // Another may have been first, with another key.
  await refuseOtherKeys(store, keys);
}

/**
 * As `proveKeys`, for who only looks: a store that knows no key yet is content with any.
 *
 * @throws ConfigError that names the key
 */
export async function refuseOtherKeys(store: Store, keys: KeyRing): Promise<void> {
  const fault = keyFault(keys, await keyChecks(store));
  if (fault !== null) throw new ConfigError('DILIGENCE_PAYLOAD_KEYS', fault);
}

/**
 * What is wrong with a list, as the rest of a sentence about it: a registered key is missing, or is another one by that
 * id, or the first of the list is not registered. Null when nothing is, or the store knows no key yet.
 */
export function keyFault(keys: KeyRing, known: readonly KeyCheck[]): string | null {
  for (const { id, check } of known) {
    if (!keys.ids.includes(id)) {
      return `lacks the key ${id}, and this store's payloads are encrypted with ${id}: set the list that its other workers have (\`diligence keys check\`)`;
    }
    if (keys.checkValue(id) !== check) {
      return `has another key by the name ${id} than this store's payloads are encrypted with: set the list that its other workers have`;
    }
  }
  const [first] = keys.ids;
  if (known.length === 0 || known.some(({ id }) => id === first)) return null;
  return `has ${first} first, which the store does not know: put it last, and bring it in with \`diligence keys rotate\``;
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
  // The order says how far a rotation is, whatever the clocks of its machines say.
  const after = newest === undefined ? 0 : Date.parse(newest.createdAt) + 1;
  const createdAt = new Date(Math.max(Date.now(), after)).toISOString();
  const check: KeyCheck = { id, check: ring.checkValue(id), createdAt };
  await store.records.putIfAbsent(`keys/${id}.json`, `${JSON.stringify(check, null, 2)}\n`);
}
