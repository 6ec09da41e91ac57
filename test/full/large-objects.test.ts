import { randomBytes } from 'node:crypto';
import { sha256Of } from '../../src/store/certificates/evidence-files';
import {
  OtherBytesError,
  findLarge,
  putLarge,
  readLarge,
} from '../../src/store/core/large-objects';
import { KeySeal } from '../../src/store/sealed/seal';
import { Store } from '../../src/store/store';
import { StoreError } from '../../src/store/store-error';
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
  await expect(read()).rejects.toThrow('a/b is not what was stored');
  await place.store.records.remove(`${folder}/00001`);
  await expect(read()).rejects.toThrow('lacks part 1 of a/b');
});

it('names nothing of what was killed, and the bytes are swept when they are old', async () => {
  const { database, store } = place;
  const commit = database.commit.bind(database);
  database.commit = async () => {
    throw new StoreError('other', 'killed');
  };
  const killed = putLarge(store, 'a/b', chunksOf(randomBytes(2 * mebibyte)));
  await expect(killed).rejects.toThrow('killed');
  database.commit = commit;
  expect(await store.records.list('')).toEqual([]);
  const whole = await putLarge(store, 'a/b', chunksOf(Buffer.from('whole')));
  expect(await store.records.list('')).toEqual(['a/b.json', `${whole.folder}/00000`]);
  expect(await store.records.removeOrphans(Date.now() + 4 * 86_400_000)).toBe(2);
  expect((await read()).toString()).toBe('whole');
});

it('keeps one object of two that end at once, and no bytes of the other', async () => {
  const texts = ['first', 'second'];
  const puts = await Promise.all(
    texts.map((text) => putLarge(place.store, 'a/b', chunksOf(Buffer.from(text)))),
  );
  expect(puts[0]).toEqual(puts[1]);
  expect(texts).toContain((await read()).toString());
  expect(await place.store.records.removeOrphans(Date.now() + 4 * 86_400_000)).toBe(0);
});
