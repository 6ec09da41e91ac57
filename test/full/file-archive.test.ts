import { readdirSync, statSync } from 'node:fs';
import * as files from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  getJson,
  getJsonLines,
  keySegment,
  toJsonLines,
  type Archive,
} from '../../src/archive/archive';
import { FileArchive } from '../../src/archive/file-archive';
import { TemporaryArchive } from '../support/temporary-archive';

/** Folders and files that were flushed to the disk, in order. */
const flushed: string[] = [];
/** What each flush of a folder had on its way to the disk, once it was done. */
const namesFlushed = new Set<string>();

jest.mock('node:fs/promises', () => {
  const real = jest.requireActual<typeof files>('node:fs/promises');
  return {
    ...real,
    open: async (...args: Parameters<typeof real.open>) => {
      const handle = await real.open(...args);
      const sync = handle.sync.bind(handle);
      handle.sync = async () => {
        const names = (await handle.stat()).isDirectory() ? await real.readdir(args[0]) : [];
        await sync();
        flushed.push(String(args[0]));
        for (const name of names) namesFlushed.add(name);
      };
      return handle;
    },
  };
});

let place: TemporaryArchive;
let archive: Archive;

beforeEach(() => {
  place = new TemporaryArchive();
  ({ archive } = place);
  flushed.length = 0;
  namesFlushed.clear();
});

afterEach(() => place.remove());

it.each([true, false])(
  'stores exactly one of 50 objects put under one key at once, durable %p',
  async (durable) => {
    const writers = Array.from({ length: 50 }, (_, n) => new FileArchive(place.root, `w${n}`));
    const results = await Promise.all(
      writers.map((writer, n) => writer.putIfAbsent('a/b', `writer ${n}`, { durable })),
    );
    expect(results.filter((result) => result === 'stored')).toHaveLength(1);
    const winner = results.indexOf('stored');
    expect((await archive.get('a/b'))?.toString()).toBe(`writer ${winner}`);
    expect(readdirSync(place.path('a'))).toEqual(['b']);
  },
);

it('keeps what is there and says so', async () => {
  expect(await archive.putIfAbsent('a', 'first')).toBe('stored');
  expect(await archive.putIfAbsent('a', 'second')).toBe('exists');
  expect((await archive.get('a'))?.toString()).toBe('first');
});

it('never shows a reader half an object', async () => {
  const whole = 'x'.repeat(4_000_000);
  const lengths = new Set<number>();
  let writing = true;
  const reader = (async () => {
    while (writing) {
      const found = await archive.get('big');
      if (found !== null) lengths.add(found.length);
    }
  })();
  await archive.putIfAbsent('big', whole, { durable: true });
  for (let n = 0; n < 5; n += 1) await archive.replace('big', whole);
  writing = false;
  await reader;
  expect([...lengths].filter((length) => length !== whole.length)).toEqual([]);
});

it('replaces what is there', async () => {
  await archive.replace('a/b', 'first');
  await archive.replace('a/b', Buffer.from('second'));
  expect((await archive.get('a/b'))?.toString()).toBe('second');
});

it('lets nobody else read: files 0600, folders 0700', async () => {
  await archive.putIfAbsent('a/b/durable', 'x', { durable: true });
  await archive.putIfAbsent('a/b/plain', 'x');
  await archive.replace('a/b/replaced', 'x');
  for (const name of ['durable', 'plain', 'replaced']) {
    expect(statSync(place.path(`a/b/${name}`)).mode & 0o777).toBe(0o600);
  }
  for (const folder of [place.root, place.path('a'), place.path('a/b')]) {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  }
});

it('lists the keys below a prefix in order, without what is half written', async () => {
  for (const key of ['p/b/2', 'p/b/1', 'p/a', 'q/1']) await archive.putIfAbsent(key, key);
  await files.writeFile(place.path('p/.half'), 'x');
  expect(await archive.list('p/')).toEqual(['p/a', 'p/b/1', 'p/b/2']);
  expect(await archive.list('p/b/')).toEqual(['p/b/1', 'p/b/2']);
  expect(await archive.list('none/')).toEqual([]);
});

it('lists what stays while folders beside it come and go', async () => {
  for (let n = 0; n < 50; n += 1) await archive.putIfAbsent(`p/stays-${n}/1`, 'x');
  let going = true;
  const others = Array.from({ length: 4 }, async (_, one) => {
    const beside = new FileArchive(place.root, 'beside');
    for (let n = 0; going; n += 1) {
      await beside.putIfAbsent(`p/goes-${one}-${n}/a/1`, 'x');
      await beside.remove(`p/goes-${one}-${n}/a/1`);
    }
  });
  const listed = new Set<number>();
  for (let n = 0; n < 50; n += 1) {
    for (const prefix of ['p/', '']) {
      const keys = await archive.list(prefix);
      listed.add(keys.filter((key) => key.startsWith('p/stays-')).length);
    }
  }
  going = false;
  await Promise.all(others);
  expect([...listed]).toEqual([50]);
});

it('answers null for what is not there, also below an object', async () => {
  await archive.putIfAbsent('a', 'x');
  expect(await archive.get('b')).toBeNull();
  expect(await archive.get('a/b')).toBeNull();
  expect(await archive.list('a/')).toEqual([]);
});

it.each(['../out', 'a/../../out', 'a/./b', '/etc/out', 'a//b', '', 'a/'])(
  'refuses the climbing key %j for every use',
  async (key) => {
    await expect(archive.putIfAbsent(key, 'x')).rejects.toThrow(RangeError);
    await expect(archive.replace(key, 'x')).rejects.toThrow(RangeError);
    await expect(archive.get(key)).rejects.toThrow(RangeError);
    await expect(archive.localPath(key)).rejects.toThrow(RangeError);
    expect(readdirSync(place.folder)).toEqual([]);
  },
);

it('flushes a folder once for many durable objects, and for each after it was named there', async () => {
  await archive.putIfAbsent('a/first', 'x', { durable: true });
  flushed.length = 0;
  const puts = Array.from({ length: 60 }, async (_, n) => {
    await archive.putIfAbsent(`a/object-${n}`, 'x', { durable: true });
    return namesFlushed.has(`object-${n}`);
  });
  expect(new Set(await Promise.all(puts))).toEqual(new Set([true]));
  expect(flushed.filter((path) => path === place.path('a')).length).toBeLessThan(60);
});

it('has a durable object, its folder and every new parent on the disk before it says stored', async () => {
  await archive.putIfAbsent('claims/x/y/1', 'body', { durable: true });
  for (const folder of ['claims/x/y', 'claims/x', 'claims'].map((key) => place.path(key))) {
    expect(flushed).toContain(folder);
  }
  // The folder that holds the archive must know of it too.
  expect(flushed).toEqual(expect.arrayContaining([place.root, dirname(place.root)]));
  const object = flushed.findIndex((path) => path.startsWith(`${place.path('claims/x/y')}/.`));
  expect(object).toBeGreaterThanOrEqual(0);
  expect(flushed.slice(object + 1)).toContain(place.path('claims/x/y'));
});

it.each([true, false])(
  'makes a folder anew that was removed since it was first used, durable %p',
  async (durable) => {
    await archive.putIfAbsent('a/b/1', 'x', { durable });
    await files.rm(place.path('a'), { recursive: true });
    expect(await archive.putIfAbsent('a/b/2', 'y', { durable })).toBe('stored');
    expect((await archive.get('a/b/2'))?.toString()).toBe('y');
  },
);

it('flushes nothing for an object that can be derived again', async () => {
  await archive.putIfAbsent('a/b', 'x');
  await archive.replace('a/c', 'x');
  expect(flushed).toEqual([]);
});

it('leaves no temporary file behind, whatever came of a put', async () => {
  await archive.putIfAbsent('a/b', 'x');
  await archive.putIfAbsent('a/b', 'y', { durable: true });
  await archive.putIfAbsent('a/c/d', 'x');
  await expect(archive.replace('a/c', 'x')).rejects.toMatchObject({ code: 'EISDIR' });
  expect(readdirSync(place.path('a')).filter((name) => !name.startsWith('.'))).toEqual(['b', 'c']);
  expect(await archive.list('a/')).toEqual(['a/b', 'a/c/d']);
});

it('removes an object for good, with the folders that it leaves empty', async () => {
  await archive.putIfAbsent('a/b/c/1', 'x');
  await archive.putIfAbsent('a/2', 'x');
  flushed.length = 0;
  await archive.remove('a/b/c/1');
  expect(await archive.get('a/b/c/1')).toBeNull();
  expect(readdirSync(place.path('a'))).toEqual(['2']);
  expect(flushed).toEqual([place.path('a')]);
  await archive.remove('a/b/c/1');
  await archive.remove('a/2');
  expect(readdirSync(place.root)).toEqual([]);
  expect(await archive.putIfAbsent('a/b/c/1', 'y')).toBe('stored');
});

it('removes what is below a prefix, half-written objects too, but for what is to stay', async () => {
  for (const key of ['a/b/old/1', 'a/b/old/c/2', 'a/b/new/1', 'a/b.json']) {
    await archive.putIfAbsent(key, 'x');
  }
  // What a process leaves that is killed while it writes.
  await files.writeFile(place.path('a/b/old/.half'), 'x');
  await files.mkdir(place.path('a/b/killed'));
  await files.writeFile(place.path('a/b/killed/.half'), 'x');
  await archive.removeAll('a/b/', 'a/b/new');
  expect(readdirSync(place.path('a/b'))).toEqual(['new']);
  await archive.removeAll('a/b/');
  expect(readdirSync(place.path('a'))).toEqual(['b.json']);
  await archive.removeAll('a/none/');
  expect(await archive.putIfAbsent('a/b/old/1', 'y')).toBe('stored');
});

it('has what replaces an object on the disk, when asked to', async () => {
  await archive.putIfAbsent('a/b', 'x');
  await archive.replace('a/b', 'y', { durable: true });
  expect(flushed).toContain(place.path('a'));
  expect((await archive.get('a/b'))?.toString()).toBe('y');
});

it('writes and reads JSON, one document or one a line', async () => {
  await archive.putIfAbsent('one', JSON.stringify({ a: 1 }));
  await archive.putIfAbsent('many', toJsonLines([{ a: 'line\nbreak' }, [2], null]));
  expect(await getJson(archive, 'one')).toEqual({ a: 1 });
  expect(await getJsonLines(archive, 'many')).toEqual([{ a: 'line\nbreak' }, [2], null]);
  expect(await getJson(archive, 'none')).toBeNull();
  expect(await getJsonLines(archive, 'none')).toBeNull();
  expect(toJsonLines([])).toBe('');
});

it('makes one harmless segment of any word, and different ones of different words', () => {
  const words = ['..', '.', 'a/b', 'a.b', 'a%2Fb', "x'()*!~", 'ç/ü', 'A', 'a'];
  const segments = words.map(keySegment);
  expect(new Set(segments).size).toBe(words.length);
  for (const segment of segments) expect(segment).toMatch(/^[\w%-]+$/);
});
