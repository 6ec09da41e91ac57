import { randomBytes } from 'node:crypto';
import { sha256Of } from '../../../src/archive/issuances';
import { findLarge, putLarge, readLarge } from '../../../src/archive/large-objects';
import { SealedArchive } from '../../../src/archive/sealed-archive';
import { KeyRing } from '../../../src/protection/key-ring';
import { TemporaryArchive } from '../../support/temporary-archive';

let place: TemporaryArchive;
beforeEach(() => {
  place = new TemporaryArchive();
});
afterEach(() => place.remove());

const mebibyte = 1024 * 1024;

async function* chunksOf(bytes: Buffer, failsAfter = Infinity): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += mebibyte) {
    if (from >= failsAfter) throw new Error('the connection was cut');
    yield bytes.subarray(from, from + mebibyte);
  }
}

async function read(archive = place.archive as Parameters<typeof readLarge>[0]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readLarge(archive, 'a/b')) chunks.push(chunk);
  return Buffer.concat(chunks);
}

it('comes back as it was put, in parts, sealed or not', async () => {
  const bytes = randomBytes(9 * mebibyte + 17);
  const keys = KeyRing.parse(`test:${'7e57'.repeat(16)}`);
  const sealed = new SealedArchive(place.archive, { keys, seals: true });
  const put = await putLarge(sealed, 'a/b', chunksOf(bytes));
  expect(put).toMatchObject({ parts: 3, bytes: bytes.length, sha256: sha256Of(bytes) });
  expect((await read(sealed)).equals(bytes)).toBe(true);
  const raw = await place.archive.get(`${put.folder}/00000`);
  expect(raw?.includes(bytes.subarray(0, 64))).toBe(false);
});

it('leaves nothing of what was cut short', async () => {
  const cut = putLarge(place.archive, 'a/b', chunksOf(randomBytes(9 * mebibyte), 8 * mebibyte));
  await expect(cut).rejects.toThrow('the connection was cut');
  expect(await place.archive.list('')).toEqual([]);
  await expect(read()).rejects.toThrow(RangeError);
});

it('leaves nothing of what its check refuses', async () => {
  const check = async () => {
    throw new TypeError('unreadable');
  };
  const put = putLarge(place.archive, 'a/b', chunksOf(randomBytes(10)), check);
  await expect(put).rejects.toThrow(TypeError);
  expect(await place.archive.list('')).toEqual([]);
});

it('keeps what was put first, and no parts of the second', async () => {
  const first = await putLarge(place.archive, 'a/b', chunksOf(Buffer.from('first')));
  expect(await putLarge(place.archive, 'a/b', chunksOf(Buffer.from('second')))).toEqual(first);
  expect((await read()).toString()).toBe('first');
  expect(await place.archive.list('a/')).toHaveLength(2);
  expect(await findLarge(place.archive, 'a/c')).toBeNull();
});
