import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IdKey } from '../protection/id-key';
import type { KeyRing } from '../protection/key-ring';
import type { Database } from './database';
import { KeySeal, type Seal } from './sealed/seal';
import { databaseToRead, openDatabase } from './sqlite/database';
import { Store } from './store';
import { StoreConfigError } from './store-error';

export interface StoreAddress {
  /** A directory or `file:` URL, for SQLite with the bytes beside it; or `postgres://`. */
  storeUrl: string;
  /** Directory of the bytes of PostgreSQL, shared by all processes; SQLite needs none. */
  blobsUrl: string | null;
}

export interface StoreSealing {
  keys: KeyRing;
  /** Called once, before anything is sealed: throws when the keys are not those of the store. */
  proveKeys?: (store: Store) => Promise<void>;
}

/** Opens the store, created at the first use. @param sealing null: sealed data cannot be read */
export async function openStore(
  { storeUrl, blobsUrl }: StoreAddress,
  idKey: IdKey,
  sealing: StoreSealing | null = null,
): Promise<Store> {
  const database: Database = isPostgres(storeUrl)
    ? await (require('./postgres/database') as typeof import('./postgres/database')).openPostgres(
        storeUrl,
        blobsOf(blobsUrl),
        idKey,
      )
    : await openDatabase(directoryOf(storeUrl), idKey);
  const proveKeys = async (): Promise<void> => sealing?.proveKeys?.(store);
  const store: Store = new Store(database, new KeySeal(sealing?.keys ?? null, proveKeys));
  return store;
}

/** Any existing store, read only; null: none. @param seal default: sealed data stays sealed */
export async function storeAsItIs(
  { storeUrl, blobsUrl }: StoreAddress,
  seal?: Seal,
): Promise<Store | null> {
  if (!isPostgres(storeUrl)) return storeInFolder(directoryOf(storeUrl), seal);
  const database = await (
    require('./postgres/database') as typeof import('./postgres/database')
  ).postgresToRead(storeUrl, blobsOf(blobsUrl));
  return database && new Store(database, seal);
}

export function storeInFolder(folder: string, seal?: Seal): Store | null {
  const database = databaseToRead(folder);
  return database && new Store(database, seal);
}

/** The address without its secrets. */
export function shownAddress(storeUrl: string): string {
  if (!isPostgres(storeUrl)) return storeUrl;
  const { protocol, host, pathname } = new URL(storeUrl);
  return `${protocol}//${host}${pathname}`;
}

export function isPostgres(storeUrl: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(storeUrl);
}

/** No default: it would differ between machines. */
function blobsOf(blobsUrl: string | null): string {
  if (blobsUrl !== null) return directoryOf(blobsUrl);
  throw new StoreConfigError(
    'DILIGENCE_BLOBS_URL: is not set: with postgres:// it names a directory that all workers and commands share',
  );
}

export function directoryOf(address: string): string {
  if (address.startsWith('file:')) return fileURLToPath(address);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(address)) {
    throw new StoreConfigError(
      `DILIGENCE_STORE_URL, DILIGENCE_BLOBS_URL: ${address.split(':')[0]}: is not supported, expected a directory, a file: address or, for the store, postgres://`,
    );
  }
  return isAbsolute(address) ? address : resolve(address);
}
