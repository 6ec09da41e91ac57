import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  embeddedHealth,
  noteUse,
  removeEngineRecord,
  retireIdleRecord,
  runningEngine,
  writeEngineRecord,
  type EngineRecord,
} from '../../../src/temporal/engine-record';
import { startOf } from '../../../src/temporal/processes';

const minuteMs = 60_000;

describe('the record of the embedded engine', () => {
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'diligence-record-'));
  });

  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  async function begin(): Promise<EngineRecord> {
    await writeEngineRecord(dataDir, {
      pid: process.pid,
      address: '127.0.0.1:7233',
      namespace: 'default',
      uiUrl: null,
      sandboxUrl: null,
      investigationBaseUrl: 'https://investigation.example/api/v1',
      creditBaseUrl: 'https://credit.example/api/v1',
    });
    const record = await runningEngine(dataDir);
    if (record === null) throw new Error('our own process is not found');
    return record;
  }

  async function rewrite(record: EngineRecord): Promise<void> {
    await writeFile(join(dataDir, 'engine.json'), JSON.stringify(record));
  }

  it('finds the process that wrote it, and not a later one with its pid', async () => {
    const record = await begin();
    expect(record.start).toBe(await startOf(process.pid));
    await rewrite({ ...record, start: 'an earlier boot/42' });
    expect(await runningEngine(dataDir)).toBeNull();
    expect(await embeddedHealth(dataDir, record)).toBe('crashed');
  });

  it('tells an end in order from a crash, and from another engine', async () => {
    const record = await begin();
    expect(await embeddedHealth(dataDir, record)).toBe('runs');
    await rewrite({ ...record, pid: process.ppid, start: await startOf(process.ppid) });
    expect(await embeddedHealth(dataDir, record)).toBe('moved');
    await removeEngineRecord(dataDir);
    expect(await embeddedHealth(dataDir, record)).toBe('stopped');
  });

  it('is retired when nobody has used it for so long, and a later command finds none', async () => {
    await begin();
    const before = new Date(Date.now() - 11 * minuteMs);
    await utimes(join(dataDir, 'engine.json'), before, before);
    expect(await retireIdleRecord(dataDir, 10 * minuteMs)).toBe(true);
    expect(await noteUse(dataDir)).toBe(false);
    expect(await runningEngine(dataDir)).toBeNull();
  });

  it('stays when a command has just used it', async () => {
    await begin();
    const before = new Date(Date.now() - 11 * minuteMs);
    await utimes(join(dataDir, 'engine.json'), before, before);
    expect(await noteUse(dataDir)).toBe(true);
    expect(await retireIdleRecord(dataDir, 10 * minuteMs)).toBe(false);
    expect(await runningEngine(dataDir)).not.toBeNull();
  });
});
