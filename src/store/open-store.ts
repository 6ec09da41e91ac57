import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IdKey } from '../protection/id-key';
import type { KeyRing } from '../protection/key-ring';
import { databaseToRead, openDatabase } from './database';
import { KeySeal, type Seal } from './seal';
import { Store } from './store';
import { StoreConfigError } from './store-error';

export interface StoreSealing {
  keys: KeyRing;
  /** Called once, before anything is sealed: throws when the keys are not those of the store. */
  proveKeys?: (store: Store) => Promise<void>;
}

/**
 * Opens the store at an address, and makes it one at the first use.
 *
 * @param address a directory, or a `file:` URL
 * @param sealing null: nothing is sealed, and what is sealed cannot be read
 * @throws StoreError when it was made with another id key, StoreConfigError when the address is of an
 *   unknown kind
 */
export async function openStore(
  address: string,
  idKey: IdKey,
  sealing: StoreSealing | null = null,
): Promise<Store> {
  const database = await openDatabase(directoryOf(address), idKey);
  const proveKeys = async (): Promise<void> => sealing?.proveKeys?.(store);
  const store: Store = new Store(database, new KeySeal(sealing?.keys ?? null, proveKeys));
  return store;
}

/**
 * The store as it lies there, whoever's it is, to be read alone. Null when there is none.
 *
 * @param seal default: what is sealed is read as it stands
 */
export function storeAsItIs(address: string, seal?: Seal): Store | null {
  const database = databaseToRead(directoryOf(address));
  return database && new Store(database, seal);
}

function directoryOf(address: string): string {
  if (address.startsWith('file:')) return fileURLToPath(address);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(address)) {
    throw new StoreConfigError(
      `DILIGENCE_STORE_URL: ${address.split(':')[0]}: is not supported yet, expected a directory or a file: address`,
    );
  }
  return isAbsolute(address) ? address : resolve(address);
}
