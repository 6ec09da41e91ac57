import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keySegment, toJsonLines } from '../../../src/store/records';
import type { Store } from '../../../src/store/store';
import { TemporaryStore } from '../../support/temporary-store';

let place: TemporaryStore;
let store: Store;

beforeEach(() => {
  place = new TemporaryStore();
  ({ store } = place);
});

afterEach(() => place.remove());

/** Files with bytes, whichever row names them. */
function blobs(): string[] {
  const names = readdirSync(join(place.root, 'blobs'), { recursive: true }) as string[];
  return names.filter((name) => name.includes('/'));
}

const large = 'x'.repeat(70_000);

it.each([{}, { bytes: true }])('stores one of 50 objects put at once, %p', async (options) => {
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, n) => store.records.putIfAbsent('a/b', `writer ${n}`, options)),
  );
  expect(results.filter((result) => result === 'stored')).toHaveLength(1);
  expect(String(await store.records.get('a/b'))).toBe(`writer ${results.indexOf('stored')}`);
  expect(blobs()).toHaveLength(options.bytes === true ? 1 : 0);
});

it('keeps bytes and what is large beside the database, and takes them away with their row', async () => {
  await store.records.putIfAbsent('small', 'x');
  expect(blobs()).toHaveLength(0);
  await store.records.putIfAbsent('large', large);
  await store.records.putIfAbsent('pdf', 'x', { bytes: true });
  expect(blobs()).toHaveLength(2);
  expect(String(await store.records.get('large'))).toBe(large);
  await store.records.replace('large', 'small now');
  expect(blobs()).toHaveLength(1);
  expect(String(await store.records.get('large'))).toBe('small now');
  await store.records.remove('pdf');
  expect(blobs()).toHaveLength(0);
});

it('reads an object whole while it is replaced', async () => {
  await store.records.replace('a', `0${large}`);
  const readers = Array.from({ length: 30 }, async () => {
    for (let n = 0; n < 5; n += 1) {
      const body = String(await store.records.get('a'));
      expect(body.slice(1)).toBe(large);
    }
  });
  for (let n = 1; n < 10; n += 1) await store.records.replace('a', `${n}${large}`);
  await Promise.all(readers);
});

it('says so where the bytes of a row are missing', async () => {
  await store.records.putIfAbsent('a', 'x', { bytes: true });
  const [name = ''] = blobs();
  await place.database.blobs.remove(name);
  await expect(store.records.get('a')).rejects.toMatchObject({
    name: 'StoreError',
    code: 'corrupt',
  });
});

it('removes bytes that no row names, once they are days old, and no others', async () => {
  await store.records.putIfAbsent('pdf', 'named', { bytes: true });
  await place.database.blobs.put('of a process that was killed');
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(join(place.root, 'blobs', day, '.DS_Store'), 'of somebody else');
  const dayMs = 24 * 60 * 60_000;
  expect(await store.records.removeOrphans(Date.now() + dayMs)).toBe(0);
  expect(blobs()).toHaveLength(3);
  expect(await store.records.removeOrphans(Date.now() + 3 * dayMs)).toBe(1);
  expect(String(await store.records.get('pdf'))).toBe('named');
});

it('lists the keys below a prefix in order, and removes them', async () => {
  for (const key of ['b/2', 'b/10', 'b/1/x', 'b%2F', 'a', 'bb/1']) {
    await store.records.putIfAbsent(key, 'x');
  }
  expect(await store.records.list('b/')).toEqual(['b/1/x', 'b/10', 'b/2']);
  expect(await store.records.list('')).toHaveLength(6);
  await store.records.removeAll('b/');
  expect(await store.records.list('')).toEqual(['a', 'b%2F', 'bb/1']);
  await store.records.remove('none');
  expect(await store.records.get('none')).toBeNull();
});

it.each(['../out', 'a/../../out', 'a/./b', '/etc/out', 'a//b', '', 'a/'])(
  'refuses the key %j for every use',
  async (key) => {
    await expect(store.records.putIfAbsent(key, 'x')).rejects.toThrow(RangeError);
    await expect(store.records.replace(key, 'x')).rejects.toThrow(RangeError);
    await expect(store.records.get(key)).rejects.toThrow(RangeError);
    await expect(store.records.remove(key)).rejects.toThrow(RangeError);
  },
);

it('writes and reads JSON, one document or one a line', async () => {
  await store.records.putIfAbsent('one', JSON.stringify({ a: 1 }));
  await store.records.putIfAbsent('lines', toJsonLines([{ a: 1 }, { a: 2 }]));
  expect(await store.records.getJson('one')).toEqual({ a: 1 });
  expect(String(await store.records.get('lines'))).toBe('{"a":1}\n{"a":2}\n');
  expect(await store.records.getJson('none')).toBeNull();
});

it('makes one harmless segment of any word, and different ones of different words', () => {
  const words = ['..', '.', 'a/b', 'a%2Fb', 'é', '*', '', ' ', "'", '(x)!~'];
  const segments = words.map(keySegment);
  for (const segment of segments) expect(segment).toMatch(/^[A-Za-z0-9%_-]*$/);
  expect(new Set(segments).size).toBe(words.length);
});
