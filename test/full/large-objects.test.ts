import { randomBytes } from 'node:crypto';
import { sha256Of } from '../../src/store/certificates/evidence-files';
import {
  OtherBytesError,
  PartsRemovedError,
  clearAttempts,
  findLarge,
  putLarge,
  readLarge,
} from '../../src/store/core/large-objects';
import { KeySeal } from '../../src/store/seal';
import { Store } from '../../src/store/store';
import { KeyRing } from '../../src/protection/key-ring';
import { TemporaryStore } from '../support/temporary-store';

let place: TemporaryStore;
beforeEach(() => {
  place = new TemporaryStore();
});
afterEach(() => place.remove());

const mebibyte = 1024 * 1024;

async function* chunksOf(bytes: Buffer, failsAfter = Infinity): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += mebibyte) {
    if (from >= failsAfter) throw new Error('the connection was cut');
    yield bytes.subarray(from, from + mebibyte);
  }
}

async function read(store = place.store): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readLarge(store, 'a/b')) chunks.push(chunk);
  return Buffer.concat(chunks);
}

it('comes back as it was put, in parts, sealed or not', async () => {
  const bytes = randomBytes(9 * mebibyte + 17);
  const keys = KeyRing.parse(`test:${'7e57'.repeat(16)}`);
  const sealed = new Store(place.database, new KeySeal(keys));
  const put = await putLarge(sealed, 'a/b', chunksOf(bytes));
  expect(put).toMatchObject({ parts: 10, bytes: bytes.length, sha256: sha256Of(bytes) });
  expect((await read(sealed)).equals(bytes)).toBe(true);
  const raw = await place.store.records.get(`${put.folder}/00000`);
  expect(raw?.includes(bytes.subarray(0, 64))).toBe(false);
});

it('leaves nothing of what was cut short', async () => {
  const cut = putLarge(place.store, 'a/b', chunksOf(randomBytes(9 * mebibyte), 8 * mebibyte));
  await expect(cut).rejects.toThrow('the connection was cut');
  expect(await place.store.records.list('')).toEqual([]);
  await expect(read()).rejects.toThrow(RangeError);
});

it('leaves nothing of what its check refuses', async () => {
  const check = async () => {
    throw new TypeError('unreadable');
  };
  const put = putLarge(place.store, 'a/b', chunksOf(randomBytes(10)), { check });
  await expect(put).rejects.toThrow(TypeError);
  expect(await place.store.records.list('')).toEqual([]);
});

it('keeps what was put first, and no parts of the second', async () => {
  const first = await putLarge(place.store, 'a/b', chunksOf(Buffer.from('first')));
  expect(await putLarge(place.store, 'a/b', chunksOf(Buffer.from('second')))).toEqual(first);
  expect((await read()).toString()).toBe('first');
  expect(await place.store.records.list('a/')).toHaveLength(2);
  expect(await findLarge(place.store, 'a/c')).toBeNull();
});

it('hands its check all of the bytes as they come', async () => {
  const bytes = randomBytes(3 * mebibyte + 1);
  const seen: Uint8Array[] = [];
  const check = async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) seen.push(chunk);
  };
  await putLarge(place.store, 'a/b', chunksOf(bytes), { check });
  expect(Buffer.concat(seen).equals(bytes)).toBe(true);
});

it('refuses what does not add up to the sum that was told, and leaves nothing of it', async () => {
  const put = putLarge(place.store, 'a/b', chunksOf(randomBytes(10)), { sha256: '00' });
  await expect(put).rejects.toThrow(OtherBytesError);
  expect(await place.store.records.list('')).toEqual([]);
});

it('refuses to read what was altered, or lacks a part', async () => {
  const { folder } = await putLarge(place.store, 'a/b', chunksOf(randomBytes(2 * mebibyte)));
  await place.store.records.replace(`${folder}/00001`, randomBytes(mebibyte));
  await expect(read()).rejects.toThrow('a/b is not what was filed');
  await place.store.records.remove(`${folder}/00001`);
  await expect(read()).rejects.toThrow('lacks part 1 of a/b');
});

describe('attempts that were killed', () => {
  /** Two parts of three. */
  async function leave(): Promise<string> {
    const folder = 'a/b/11111111-killed';
    await place.store.records.putIfAbsent(`${folder}/00000`, 'x');
    await place.store.records.putIfAbsent(`${folder}/00001`, 'x');
    return folder;
  }

  it('leave nothing once another one has ended', async () => {
    await leave();
    const { folder } = await putLarge(place.store, 'a/b', chunksOf(Buffer.from('whole')));
    expect(await place.store.records.list('')).toEqual(['a/b.json', `${folder}/00000`]);
    expect((await read()).toString()).toBe('whole');
  });

  it('leave nothing once the object is given up', async () => {
    await leave();
    expect(await clearAttempts(place.store, 'a/b')).toBeNull();
    expect(await place.store.records.list('')).toEqual([]);
    expect(await clearAttempts(place.store, 'a/b')).toBeNull();
  });

  it('do not come back as an object that lacks the parts that were removed', async () => {
    async function* slow(): AsyncGenerator<Buffer> {
      yield randomBytes(mebibyte);
      yield randomBytes(mebibyte);
      await clearAttempts(place.store, 'a/b');
      yield randomBytes(mebibyte);
    }
    await expect(putLarge(place.store, 'a/b', slow())).rejects.toThrow(PartsRemovedError);
    expect(await place.store.records.list('')).toEqual([]);
  });
});
