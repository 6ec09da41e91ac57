import { statfs } from 'node:fs/promises';
import { StoreError, storeErrorOf } from '../store-error';

/** Magic numbers of statfs(2). On these, write-ahead logging fails or corrupts (sqlite.org/wal.html). */
const ofTheNetwork: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xff534d42: 'CIFS',
  0xfe534d42: 'SMB2',
  0x01021997: '9P',
  0x00c36400: 'Ceph',
  0x0bd00bd0: 'Lustre',
};
const inMemory = new Set([0x01021994, 0x858458f6]);

export function networkDiskOf(type: number): string | null {
  return ofTheNetwork[type] ?? null;
}

export async function refuseNetworkDisk(folder: string): Promise<void> {
  const kind = networkDiskOf(await diskOf(folder));
  if (kind === null) return;
  throw new StoreError(
    'refused',
    `${folder} is on a disk of the network (${kind}), on which a SQLite database is corrupted: use a disk of this machine`,
  );
}

/** A power cut loses everything. */
export async function isInMemory(folder: string): Promise<boolean> {
  return inMemory.has(await diskOf(folder));
}

async function diskOf(folder: string): Promise<number> {
  try {
    return (await statfs(folder)).type;
  } catch (error) {
    throw storeErrorOf(error, `looking at ${folder}`);
  }
}
