import { stat } from 'node:fs/promises';
import type { Store } from '../store/store';
import { openStore } from '../store/open-store';
import type { IdKey } from '../protection/id-key';
import type { Environment } from '../environment';
import type { KeyRing } from '../protection/key-ring';
import { proveKeys, refuseOtherKeys } from './key-checks';
import { findPayloadKeys, payloadKeysPath, remarksOn } from './payload-keys';

type Settings = Pick<
  Environment,
  'storeUrl' | 'blobsUrl' | 'payloadKeys' | 'dataDir' | 'acceptPlaintext'
>;

/**
 * The store of this installation, sealed with its payload keys. Before anything is sealed they are proven
 * to be those of the store: what another key sealed, nobody else could read.
 *
 * @param say gets one line when keys were generated
 * @throws StoreConfigError, and ConfigError when there are no keys for it
 */
export async function openOwnStore(
  settings: Settings,
  idKey: IdKey,
  engine: 'embedded' | 'server',
  say: (line: string) => void,
): Promise<Store> {
  const found = await findPayloadKeys(settings, engine);
  const { keys } = found;
  if (keys !== 'off') {
    for (const remark of remarksOn(found, { ...settings, acceptPlaintext: false })) say(remark);
  }
  const proof = (store: Store): Promise<void> => proveKeys(store, keys);
  const sealing = keys === 'off' ? null : { keys, proveKeys: proof };
  const store = await openStore(settings, idKey, sealing);
  // With another list, what is sealed would look as if somebody had altered it.
  await refuseOtherKeys(store, keys);
  return store;
}

/** Keys for what is sealed already; null when none are at hand. Makes none. */
export async function storeKeys(
  { payloadKeys, dataDir }: Pick<Environment, 'payloadKeys' | 'dataDir'>,
  engine: 'embedded' | 'server',
): Promise<KeyRing | null> {
  if (payloadKeys !== null) return payloadKeys === 'off' ? null : payloadKeys;
  const isThere = await stat(payloadKeysPath(dataDir)).then(
    () => true,
    () => false,
  );
  if (engine === 'server' || !isThere) return null;
  const { keys } = await findPayloadKeys({ payloadKeys, dataDir }, engine);
  return keys === 'off' ? null : keys;
}
