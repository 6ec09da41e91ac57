import { tmpdir } from 'node:os';
import { networkDiskOf, refuseNetworkDisk } from '../../../src/store/sqlite/disk';

it.each([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0x01021997, '9P'],
  [0xef53, null],
  [0x794c7630, null],
])('knows a disk of the network by its number: %d is %p', (type, kind) => {
  expect(networkDiskOf(type)).toBe(kind);
});

it('lets a disk of this machine be', async () => {
  await expect(refuseNetworkDisk(tmpdir())).resolves.toBeUndefined();
});
