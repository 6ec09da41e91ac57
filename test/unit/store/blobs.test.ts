import fs, {
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobDirectory, markerName } from '../../../src/store/blobs';

let root: string;
let blobs: BlobDirectory;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'diligence-blobs-'));
  writeFileSync(join(root, markerName), 'a store');
  blobs = new BlobDirectory(root, 'a store');
  await blobs.prepare(async () => false);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const today = (): string => new Date().toISOString().slice(0, 10);

it('writes all that came together, for nobody else to read', async () => {
  const names = await Promise.all(['first', 'second', 'last'].map((body) => blobs.put(body)));
  const bodies = names.map((name) => readFileSync(join(root, name), 'utf8'));
  expect(bodies).toEqual(['first', 'second', 'last']);
  expect(statSync(join(root, names[0] ?? '')).mode & 0o777).toBe(0o600);
  expect(statSync(join(root, today())).mode & 0o777).toBe(0o700);
});

it('tells each of those that came together what became of its own', async () => {
  const body = new Uint8Array(1);
  const unwritable = { length: 1 } as unknown as Uint8Array;
  const ends = await Promise.allSettled([body, unwritable, body].map((one) => blobs.put(one)));
  expect(ends).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { name: 'StoreError', code: 'other' } },
    { status: 'fulfilled' },
  ]);
  expect(readdirSync(join(root, today()))).toHaveLength(2);
});

it('is done once the bytes are on the disk, then their name', async () => {
  const flushed: string[] = [];
  jest.spyOn(fs, 'fsync').mockImplementation((file, done) => {
    const found = fs.fstatSync(file);
    flushed.push(found.isDirectory() ? 'folder' : `file of ${found.size}`);
    done(null);
  });
  await Promise.all(['a', 'b'].map((body) => blobs.put(body)));
  jest.restoreAllMocks();
  // The first folder is that of the new day.
  expect(flushed).toEqual(['folder', 'file of 1', 'file of 1', 'folder']);
});

it('takes nothing where the mark of the store is gone, and goes on when it is back', async () => {
  rmSync(join(root, markerName));
  await expect(blobs.put('bytes')).rejects.toMatchObject({ code: 'gone' });
  expect(readdirSync(root)).toEqual([]);
  writeFileSync(join(root, markerName), 'a store');
  const name = await blobs.put('bytes');
  expect(readFileSync(join(root, name), 'utf8')).toBe('bytes');
});

describe('where another store stands in the place of its own', () => {
  const away = (): string => `${root}-away`;
  const moveAway = (): void => {
    fs.renameSync(root, away());
    fs.mkdirSync(join(root, today()), { recursive: true });
    writeFileSync(join(root, markerName), 'another store');
  };
  const moveBack = (): void => {
    rmSync(root, { recursive: true });
    fs.renameSync(away(), root);
  };
  afterEach(() => rmSync(away(), { recursive: true, force: true }));

  it('takes nothing, and goes on when its own is back', async () => {
    await blobs.put('before');
    moveAway();
    await expect(blobs.put('bytes')).rejects.toMatchObject({ code: 'gone' });
    expect(readdirSync(join(root, today()))).toEqual([]);
    moveBack();
    const name = await blobs.put('bytes');
    expect(readFileSync(join(root, name), 'utf8')).toBe('bytes');
  });

  it('names no bytes that were written while it was moved', async () => {
    await blobs.put('before');
    let moved = false;
    const real = fs.fsync;
    jest.spyOn(fs, 'fsync').mockImplementation((file, done) => {
      if (!moved) moveAway();
      moved = true;
      real(file, done);
    });
    await expect(blobs.put('bytes')).rejects.toMatchObject({ code: 'gone' });
    jest.restoreAllMocks();
    moveBack();
  });
});
