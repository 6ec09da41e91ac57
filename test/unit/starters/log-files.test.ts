import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { openSync, writeSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cutLongLogs, workerLogs } from '../../../src/starters/operate/logs';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'logs-'));
  await mkdir(join(dataDir, 'logs'));
});
afterEach(() => rm(dataDir, { recursive: true }));

test('a log that is too long is cut while a process writes to it, and the part before is kept once', async () => {
  const path = join(dataDir, 'logs', 'worker.log');
  const short = join(dataDir, 'logs', 'engine.log');
  await writeFile(short, 'short');
  const writer = openSync(path, 'a');
  writeSync(writer, 'first edition\n');
  await cutLongLogs(dataDir, 10);
  writeSync(writer, 'second edition\n');
  closeSync(writer);

  expect(await readFile(path, 'utf8')).toBe('second edition\n');
  expect(await readFile(`${path}.1`, 'utf8')).toBe('first edition\n');
  expect(workerLogs(dataDir)).toEqual([`${path}.1`, path]);
  expect(await readFile(short, 'utf8')).toBe('short');
  await cutLongLogs(dataDir, 10);
  expect(await readFile(`${path}.1`, 'utf8')).toBe('second edition\n');
});
