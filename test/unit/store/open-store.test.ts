import { mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { findIdKey } from '../../../src/store/sealed/find-id-key';
import { IdKey } from '../../../src/protection/id-key';
import { openStore, shownAddress } from '../../../src/store/open-store';
import { inFolder, TemporaryStore } from '../../support/temporary-store';

const hex = 'ab'.repeat(32);
const otherHex = 'cd'.repeat(32);
const idKey = IdKey.parse(hex);

let place: TemporaryStore;
let root: string;

beforeEach(() => {
  place = new TemporaryStore();
  root = join(place.folder, 'opened');
});

afterEach(() => place.remove());

describe('opening a store', () => {
  it('gives it an id at the first use and finds the same one ever after', async () => {
    const first = await openStore(inFolder(root), idKey);
    expect(first.id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    expect((await openStore(inFolder(root), idKey)).id).toBe(first.id);
    expect((await openStore(inFolder(pathToFileURL(root).href), idKey)).id).toBe(first.id);
  });

  it.each(['', '/', '/.'])('lists whole keys when its address ends with %j', async (end) => {
    const store = await openStore(inFolder(`${root}${end}`), idKey);
    await store.records.putIfAbsent('works/w1/a', 'x');
    expect(await store.records.list('works/')).toEqual(['works/w1/a']);
  });

  it('gives one id to processes that open it at once', async () => {
    const opened = await Promise.all(
      Array.from({ length: 20 }, () => openStore(inFolder(root), idKey)),
    );
    expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
    expect(readdirSync(root).filter((name) => !name.startsWith('store.db'))).toEqual(['blobs']);
    expect(readdirSync(join(root, 'blobs'))).toEqual(['store-id']);
  });

  it('gives different stores different ids', async () => {
    const one = await openStore(inFolder(join(place.folder, 'one')), idKey);
    const two = await openStore(inFolder(join(place.folder, 'two')), idKey);
    expect(one.id).not.toBe(two.id);
  });

  it('refuses a store made with another id key, and names the cure but neither key', async () => {
    await openStore(inFolder(root), idKey);
    const error = await openStore(inFolder(root), IdKey.parse(otherHex)).catch(
      (fault: unknown) => fault as Error,
    );
    expect(error).toMatchObject({ name: 'StoreError', code: 'refused' });
    const message = (error as Error).message;
    expect(message).toContain(root);
    expect(message).toContain(idKey.fingerprint);
    expect(message).toContain('set DILIGENCE_ID_KEY');
    expect(message).not.toContain(hex);
    expect(message).not.toContain(otherHex);
  });

  it.each(['s3://bucket/x', 'https://x.test/store'])('refuses the address %s', async (address) => {
    await expect(openStore(inFolder(address), idKey)).rejects.toMatchObject({
      name: 'StoreConfigError',
      message: expect.stringContaining('DILIGENCE_STORE_URL') as string,
    });
  });

  it('asks where the bytes beside PostgreSQL are, and tells no password', async () => {
    const storeUrl = 'postgres://diligence:secret@db.test:5432/diligence';
    await expect(openStore({ storeUrl, blobsUrl: null }, idKey)).rejects.toMatchObject({
      name: 'StoreConfigError',
      message: expect.stringContaining('DILIGENCE_BLOBS_URL') as string,
    });
    expect(shownAddress(storeUrl)).toBe('postgres://db.test:5432/diligence');
  });

  it('makes no other place for bytes that a row names', async () => {
    const { records } = await openStore(inFolder(root), idKey);
    renameSync(join(root, 'blobs'), join(root, 'moved'));
    await expect(openStore(inFolder(root), idKey)).resolves.toBeDefined();
    await records.putIfAbsent('a', 'x', { bytes: true });
    renameSync(join(root, 'blobs'), join(root, 'moved-too'));
    await expect(openStore(inFolder(root), idKey)).rejects.toMatchObject({ code: 'refused' });
    expect(readdirSync(root)).not.toContain('blobs');
  });

  it('keeps the key itself out of the store', async () => {
    await openStore(inFolder(root), idKey);
    for (const name of readdirSync(root).filter((one) => one.startsWith('store.db'))) {
      expect(readFileSync(join(root, name)).includes(hex)).toBe(false);
    }
  });

  it('makes files that nobody else can read', async () => {
    const { records } = await openStore(inFolder(root), idKey);
    await records.putIfAbsent('a', 'x', { bytes: true });
    const modes = readdirSync(root, { recursive: true, withFileTypes: true }).map((one) => [
      one.isDirectory(),
      statSync(join(one.parentPath, one.name)).mode & 0o777,
    ]);
    expect(modes.length).toBeGreaterThan(4);
    for (const [isFolder, mode] of modes) expect(mode).toBe(isFolder ? 0o700 : 0o600);
  });
});

describe('the id key', () => {
  it('names a document alike ever after, and tells kinds and keys apart', () => {
    const name = idKey.nameOf('document', '11144477735');
    expect(name).toMatch(/^[0-9a-f]{32}$/);
    expect(IdKey.parse(` ${hex.toUpperCase()}\n`).nameOf('document', '11144477735')).toBe(name);
    expect(idKey.nameOf('manifest', '11144477735')).not.toBe(name);
    expect(idKey.nameOf('document', '11144477736')).not.toBe(name);
    expect(IdKey.parse(otherHex).nameOf('document', '11144477735')).not.toBe(name);
  });

  it.each(['', 'ab', 'zz'.repeat(32), `${hex}ab`])('is not parsed from %j', (text) => {
    expect(() => IdKey.parse(text)).toThrow(RangeError);
  });

  it('is never printed', () => {
    const shown = inspect(idKey, { depth: 9, showHidden: true }) + JSON.stringify({ idKey });
    expect(shown).not.toContain(hex);
    expect(shown).toContain('[id key]');
  });
});

describe('finding the id key', () => {
  it('takes the configured one and writes nothing', async () => {
    const found = await findIdKey(join(place.folder, 'data'), hex);
    expect(found.generated).toBe(false);
    expect(found.idKey.fingerprint).toBe(idKey.fingerprint);
    expect(readdirSync(place.folder)).toEqual(['temporary']);
  });

  it('generates one at the first use, for its owner alone, and finds it again', async () => {
    const data = join(place.folder, 'data');
    const first = await findIdKey(data, null);
    const second = await findIdKey(data, null);
    expect([first.generated, second.generated]).toEqual([true, false]);
    expect(second.idKey.fingerprint).toBe(first.idKey.fingerprint);
    expect(statSync(join(data, 'id-key')).mode & 0o777).toBe(0o600);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(data, 'id-key'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  });

  it('ends with one key when processes start at once', async () => {
    const data = join(place.folder, 'data');
    const found = await Promise.all(Array.from({ length: 20 }, () => findIdKey(data, null)));
    expect(new Set(found.map((one) => one.idKey.fingerprint)).size).toBe(1);
    expect(found.filter((one) => one.generated)).toHaveLength(1);
    expect(readdirSync(data)).toEqual(['id-key']);
  });

  it.each(['', 'abc', 'zz'.repeat(32), `${hex}ab`])(
    'refuses a file that holds %j, and names the file but not what it holds',
    async (text) => {
      const data = join(place.folder, 'data');
      mkdirSync(data);
      writeFileSync(join(data, 'id-key'), text);
      const error = (await findIdKey(data, null).catch((fault: unknown) => fault)) as Error;
      expect(error.name).toBe('StoreConfigError');
      expect(error.message).toContain(join(data, 'id-key'));
      if (text !== '') expect(error.message.replace(data, '')).not.toContain(text);
      expect(readFileSync(join(data, 'id-key'), 'utf8')).toBe(text);
    },
  );

  it('takes a key from others that could read it', async () => {
    const data = join(place.folder, 'data');
    mkdirSync(data);
    writeFileSync(join(data, 'id-key'), hex, { mode: 0o644 });
    expect((await findIdKey(data, null)).idKey.fingerprint).toBe(idKey.fingerprint);
    expect(statSync(join(data, 'id-key')).mode & 0o777).toBe(0o600);
  });
});
