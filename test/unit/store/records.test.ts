import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  getJson,
  getJsonLines,
  keySegment,
  toJsonLines,
  type Archive,
} from '../../../src/archive/archive';
import { TemporaryArchive } from '../../support/temporary-archive';

let place: TemporaryArchive;
let archive: Archive;

beforeEach(() => {
  place = new TemporaryArchive();
  ({ archive } = place);
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
    Array.from({ length: 50 }, (_, n) => archive.putIfAbsent('a/b', `writer ${n}`, options)),
  );
  expect(results.filter((result) => result === 'stored')).toHaveLength(1);
  expect(String(await archive.get('a/b'))).toBe(`writer ${results.indexOf('stored')}`);
  expect(blobs()).toHaveLength(options.bytes === true ? 1 : 0);
});

it('keeps bytes and what is large beside the database, and takes them away with their row', async () => {
  await archive.putIfAbsent('small', 'x');
  expect(blobs()).toHaveLength(0);
  await archive.putIfAbsent('large', large);
  await archive.putIfAbsent('pdf', 'x', { bytes: true });
  expect(blobs()).toHaveLength(2);
  expect(String(await archive.get('large'))).toBe(large);
  await archive.replace('large', 'small now');
  expect(blobs()).toHaveLength(1);
  expect(String(await archive.get('large'))).toBe('small now');
  await archive.remove('pdf');
  expect(blobs()).toHaveLength(0);
});

it('reads an object whole while it is replaced', async () => {
  await archive.replace('a', `0${large}`);
  const readers = Array.from({ length: 30 }, async () => {
    for (let n = 0; n < 5; n += 1) {
      const body = String(await archive.get('a'));
      expect(body.slice(1)).toBe(large);
    }
  });
  for (let n = 1; n < 10; n += 1) await archive.replace('a', `${n}${large}`);
  await Promise.all(readers);
});

it('says so where the bytes of a row are missing', async () => {
  await archive.putIfAbsent('a', 'x', { bytes: true });
  const [name = ''] = blobs();
  await place.store.blobs.remove(name);
  await expect(archive.get('a')).rejects.toMatchObject({ name: 'StoreError', code: 'corrupt' });
});

it('removes bytes that no row names, once they are days old, and no others', async () => {
  await archive.putIfAbsent('pdf', 'named', { bytes: true });
  await place.store.blobs.put('of a process that was killed');
  const dayMs = 24 * 60 * 60_000;
  expect(await archive.removeOrphans(Date.now() + dayMs)).toBe(0);
  expect(blobs()).toHaveLength(2);
  expect(await archive.removeOrphans(Date.now() + 3 * dayMs)).toBe(1);
  expect(String(await archive.get('pdf'))).toBe('named');
});

it('lists the keys below a prefix in order, and removes them but for what is to stay', async () => {
  for (const key of ['b/2', 'b/10', 'b/1/x', 'b%2F', 'a', 'bb/1']) {
    await archive.putIfAbsent(key, 'x');
  }
  expect(await archive.list('b/')).toEqual(['b/1/x', 'b/10', 'b/2']);
  expect(await archive.list('')).toHaveLength(6);
  await archive.removeAll('b/', 'b/1');
  expect(await archive.list('')).toEqual(['a', 'b%2F', 'b/1/x', 'bb/1']);
  await archive.remove('none');
  expect(await archive.get('none')).toBeNull();
});

it.each(['../out', 'a/../../out', 'a/./b', '/etc/out', 'a//b', '', 'a/'])(
  'refuses the key %j for every use',
  async (key) => {
    await expect(archive.putIfAbsent(key, 'x')).rejects.toThrow(RangeError);
    await expect(archive.replace(key, 'x')).rejects.toThrow(RangeError);
    await expect(archive.get(key)).rejects.toThrow(RangeError);
    await expect(archive.remove(key)).rejects.toThrow(RangeError);
  },
);

it('writes and reads JSON, one document or one a line', async () => {
  await archive.putIfAbsent('one', JSON.stringify({ a: 1 }));
  await archive.putIfAbsent('lines', toJsonLines([{ a: 1 }, { a: 2 }]));
  expect(await getJson(archive, 'one')).toEqual({ a: 1 });
  expect(await getJsonLines(archive, 'lines')).toEqual([{ a: 1 }, { a: 2 }]);
  expect(await getJson(archive, 'none')).toBeNull();
});

it('makes one harmless segment of any word, and different ones of different words', () => {
  const words = ['..', '.', 'a/b', 'a%2Fb', 'é', '*', '', ' ', "'", '(x)!~'];
  const segments = words.map(keySegment);
  for (const segment of segments) expect(segment).toMatch(/^[A-Za-z0-9%_-]*$/);
  expect(new Set(segments).size).toBe(words.length);
});
