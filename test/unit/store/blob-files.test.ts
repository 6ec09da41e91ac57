import fs, {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobFiles, markerName } from '../../../src/store/blob-files';

let root: string;
let files: BlobFiles;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'diligence-blobs-'));
  writeFileSync(join(root, markerName), 'a store');
  files = new BlobFiles(root);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('writes all of a group, whatever one of them meets', () => {
  mkdirSync(join(root, '2026-01-01'));
  writeFileSync(join(root, '2026-01-01', 'taken'), 'of before');
  const names = ['2026-01-01/first', '2026-01-01/taken', '2026-01-02/last'];
  const ends = files.put(names.map((name) => ({ name, body: `bytes of ${name}` })));
  expect(ends).toMatchObject([null, { name: 'StoreError', code: 'other' }, null]);
  expect(readFileSync(join(root, '2026-01-01', 'first'), 'utf8')).toBe('bytes of 2026-01-01/first');
  expect(readFileSync(join(root, '2026-01-01', 'taken'), 'utf8')).toBe('of before');
  expect(statSync(join(root, '2026-01-02', 'last')).mode & 0o777).toBe(0o600);
  expect(statSync(join(root, '2026-01-02')).mode & 0o777).toBe(0o700);
});

it('is done once the bytes are on the disk, then their name', () => {
  const flushed: string[] = [];
  const flush = jest.spyOn(fs, 'fsyncSync').mockImplementation((file) => {
    flushed.push(fs.fstatSync(file).isDirectory() ? 'folder' : 'file');
  });
  const names = ['2026-01-01/a', '2026-01-01/b'];
  expect(files.put(names.map((name) => ({ name, body: name })))).toEqual([null, null]);
  flush.mockRestore();
  // The first folder is that of the new day.
  expect(flushed).toEqual(['folder', 'file', 'file', 'folder']);
});

it('takes nothing where the mark of the store is gone, and goes on when it is back', () => {
  const blob = { name: '2026-01-01/a', body: 'bytes' };
  rmSync(join(root, markerName));
  expect(files.put([blob])).toMatchObject([{ code: 'gone' }]);
  expect(readdirSync(root)).toEqual([]);
  writeFileSync(join(root, markerName), 'a store');
  expect(files.put([blob])).toEqual([null]);
});
