import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IdKey } from '../protection/id-key';
import { RecordRepository } from '../store/records';
import { openStore, storeToRead } from '../store/store';
import { ArchiveError } from './archive';
import { SealedArchive, type ArchiveSealing } from './sealed-archive';

/**
 * Opens the archive at a `file:` address or a directory, and makes it one at the first use.
 *
 * @param address a directory, or a `file:` URL
 * @param sealing null: nothing is sealed, and what is sealed cannot be read
 * @throws StoreError when it was made with another id key, ArchiveError when the address is of an
 *   unknown kind
 */
export async function openArchive(
  address: string,
  idKey: IdKey,
  sealing: ArchiveSealing | null = null,
): Promise<SealedArchive> {
  const store = await openStore(directoryOf(address), idKey);
  return new SealedArchive(new RecordRepository(store), sealing);
}

/** The archive as it lies there, whoever's it is: for what needs no key. Null when there is none. */
export function archiveAsItIs(address: string): RecordRepository | null {
  const store = storeToRead(directoryOf(address));
  return store === null ? null : new RecordRepository(store);
}

function directoryOf(address: string): string {
  if (address.startsWith('file:')) return fileURLToPath(address);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(address)) {
    throw new ArchiveError(
      `DILIGENCE_ARCHIVE_URL: ${address.split(':')[0]}: is not supported yet, expected a directory or a file: address`,
    );
  }
  return isAbsolute(address) ? address : resolve(address);
}
