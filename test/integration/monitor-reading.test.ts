import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IdKey } from '../../src/protection/id-key';
import { openStore } from '../../src/store/open-store';
import type { Store } from '../../src/store/store';
import { ChangeQueries } from '../../src/store/monitors/change-queries';
import { ChangeRepository } from '../../src/store/monitors/changes';
import { MonitorRepository } from '../../src/store/monitors/monitors';
import { fingerprintOf, SinkRepository } from '../../src/store/monitors/sinks';
import type { Change, Monitor } from '../../src/domain/monitors/change';
import { KeyRing } from '../../src/protection/key-ring';
import { CommandHost, type CommandResult } from '../support/diligence-process';
import { cnpj } from '../support/documents';
import { toldChange } from '../support/monitor-changes';
import { inFolder, testPayloadKeys } from '../support/temporary-store';

/** Commands that read the store: no engine, no service, no worker. */
const main = join(__dirname, '..', '..', 'dist', 'main.js');
const idKeyHex = 'ab'.repeat(32);
const watched = cnpj(1);
const sweep = 'monitor-sweep/m-1/run-1';
const commandMs = 60_000;

let host: CommandHost;
let hostFolder: string;
let folder: string;
let store: Store;
let changes: ChangeRepository;
const running: ChildProcess[] = [];

beforeAll(() => {
  hostFolder = mkdtempSync(join(tmpdir(), 'diligence-reading-'));
  const log = openSync(join(hostFolder, 'commands.log'), 'a');
  host = new CommandHost(hostFolder, log, { PATH: process.env['PATH'] ?? '' });
  closeSync(log);
});
afterAll(async () => {
  await host.end();
  rmSync(hostFolder, { recursive: true, force: true });
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'diligence-reading-'));
  const idKey = IdKey.parse(idKeyHex);
  const keys = KeyRing.parse(testPayloadKeys);
  store = await openStore(inFolder(join(folder, 'data', 'store')), idKey, { keys });
  changes = new ChangeRepository(store, (text) => idKey.nameOf('document', text));
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function envOf(more: Record<string, string>): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    DILIGENCE_DATA_DIR: join(folder, 'data'),
    DILIGENCE_ID_KEY: idKeyHex,
    DILIGENCE_ACTOR: 'ana',
    DILIGENCE_PAYLOAD_KEYS: testPayloadKeys,
    ...more,
  };
}

/** In a process of its own, whose reader may go. */
function start(args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [main, 'monitor', ...args], {
    cwd: folder,
    env: envOf({}),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  return child;
}

function run(args: readonly string[], env: Record<string, string> = {}): Promise<CommandResult> {
  return host.run(['monitor', ...args], envOf(env));
}

/** `resolve`: a person has looked at a change. */
function acknowledge(id: string, note: string): Promise<CommandResult> {
  return host.run(['resolve', id, '--action', 'acknowledge', '--note', note], envOf({}));
}

async function fileOne(
  monitorId: string,
  changeId: string,
  { at, ...told }: Partial<Change> & { at: string },
): Promise<void> {
  const by = { sweep, at, foundAs: 'open' as const };
  await changes.file(monitorId, [toldChange(changeId, told)], by);
}

/** One acknowledged, one failing, one of another monitor. */
async function fill(): Promise<void> {
  const detectedAt = '2026-05-04T10:00:00Z';
  await fileOne('m-1', 'c1', { at: '2026-05-04T10:05:00.000Z', severity: 'critical', detectedAt });
  await fileOne('m-1', 'c2', { at: '2026-05-05T10:00:00.000Z', type: '=cmd()', detectedAt });
  await fileOne('m-2', 'c3', { at: '2026-05-06T10:00:00.000Z', severity: 'info', detectedAt });
  const at = '2026-05-04T10:10:00.000Z';
  const mark = { sweep, at, attempt: 1 };
  await changes.putDelivered('m-1', 'file', [{ changeId: 'c1', mark }]);
  await changes.putAcknowledged('m-1', [
    { changeId: 'c1', mark: { sweep, at, by: 'us', acknowledgedAt: null, required: ['file'] } },
  ]);
  const why = 'the webhook answered 500';
  const trouble = {
    changeId: 'c2',
    sweep,
    lastAt: at,
    step: 'deliver' as const,
    sink: 'webhook',
    why,
    againAt: null,
  };
  await changes.countFailures('m-1', [trouble]);
}

const idsIn = (csv: string): (string | undefined)[] =>
  csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[1]);

it(
  'lists changes as they stand, chosen by what they are, with their lags',
  async () => {
    await fill();
    const all = await run(['changes']);
    expect(all).toMatchObject({ code: 0 });
    expect(idsIn(all.stdout)).toEqual(['c1', 'c2', 'c3']);
    expect(all.stdout).toContain(',=cmd(),');
    expect((await run(['changes', '--excel'])).stdout).toContain(`'=cmd()`);
    expect(all.stderr).toContain('critical: detected to delivered p50 10 min');

    const json = JSON.parse((await run(['changes', '--format', 'json'])).stdout) as unknown;
    expect(json).toMatchObject({
      changes: [
        { change_id: 'c1', status: 'acknowledged', lag_seconds: 600, change: { id: 'c1' } },
        { change_id: 'c2', status: 'failing', failures: 1, failure: 'the webhook answered 500' },
        { change_id: 'c3', status: 'stored', acknowledged_at: null },
      ],
      lag_seconds: { critical: { count: 1, p50: 600, p95: 600, max: 600 } },
    });
    const flags = ['--since', '2026-05-05', '--status', 'open', '--monitor', 'm-1,m-2'];
    const chosen = await run(['changes', ...flags, '--severity', 'info', '--unreviewed']);
    expect(idsIn(chosen.stdout)).toEqual(['c3']);
    expect(await run(['changes', '--since', 'soon'])).toMatchObject({ code: 2, stdout: '' });
  },
  3 * commandMs,
);

it(
  'tells a monitor that nobody knows from one without changes',
  async () => {
    const known = '5f0d2f0a-3c11-4b7e-9a55-6d1c0c0a0001';
    await fileOne(known, 'c1', { at: '2026-05-04T10:05:00.000Z' });
    const upper = ['--monitor', known.toUpperCase()];
    expect(idsIn((await run(['changes', ...upper])).stdout)).toEqual(['c1']);
    const reviewed = await acknowledge(`change/${known}/c1`, 'seen');
    expect(reviewed).toMatchObject({ code: 0 });
    const unknown = ['--monitor', `${known},m-9`];
    const nothing = { code: 1, stdout: '' };
    for (const args of [['changes'], ['report', '--out', 'report.html']]) {
      const told = await run([...args, ...unknown]);
      expect(told).toMatchObject(nothing);
      expect(told.stderr).toContain('nothing is stored about monitor m-9');
    }
    const { stderr } = await acknowledge('change/m-9/c1', 'x');
    expect(stderr).toContain('no change c1 of monitor m-9 is stored');
  },
  3 * commandMs,
);

it(
  'refuses what cannot be meant before it reads anything',
  async () => {
    expect(await acknowledge('change/c1', ' ')).toMatchObject({ code: 2 });
  },
  2 * commandMs,
);

it(
  'ends quietly when its reader has enough',
  async () => {
    for (let at = 0; at < 20; at += 1) {
      const told = Array.from({ length: 100 }, (_, place) => toldChange(`c${at}-${place}`, {}));
      const by = { sweep, at: `2026-05-04T10:${at + 10}:00.000Z`, foundAs: 'open' as const };
      await changes.file('m-1', told, by);
    }
    const ends = ['csv', 'json'].map(async (format) => {
      const child = start(['changes', '--format', format]);
      let told = '';
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (told += text));
      await once(child.stdout as NodeJS.ReadableStream, 'data');
      child.stdout?.destroy();
      const [code] = (await once(child, 'close')) as [number | null];
      return { format, code, told };
    });
    expect(await Promise.all(ends)).toEqual([
      { format: 'csv', code: 0, told: '' },
      { format: 'json', code: 0, told: '' },
    ]);
  },
  2 * commandMs,
);

it(
  'puts on record that a person looked at a change',
  async () => {
    await fill();
    expect(await acknowledge('change/c2', 'a false alarm')).toMatchObject({ code: 0 });
    const found: object[] = [];
    for await (const { reviews } of new ChangeQueries(store).files({ since: null }))
      found.push(...reviews);
    expect(found).toMatchObject([{ by: 'ana', note: 'a false alarm' }]);
    expect(idsIn((await run(['changes', '--unreviewed'])).stdout)).toEqual(['c1', 'c3']);
    expect(await acknowledge('change/c9', 'x')).toMatchObject({ code: 1 });
    await fileOne('m-2', 'c1', { at: '2026-05-06T10:00:00.000Z' });
    const two = await acknowledge('change/c1', 'x');
    expect(two).toMatchObject({ code: 2 });
    expect(two.stderr).toContain('MONITOR/CHANGE');
  },
  2 * commandMs,
);

it(
  'writes a report that names what is unknown, and no document in the clear',
  async () => {
    await fill();
    const monitor = { monitorId: 'm-1', identifier: watched } as Monitor;
    const at = '2026-05-06T10:00:00.000Z';
    await new MonitorRepository(store, (text) => text).putAnswer('m-1', {
      at,
      by: 'read',
      monitor,
      answer: {},
    });
    const out = join(folder, 'made', 'report.html');
    expect(await run(['report', '--out', out])).toMatchObject({ code: 0, stdout: '' });
    const nowhere = await run(['report', '--out', join(out, 'report.html')]);
    expect(nowhere).toMatchObject({ code: 2, stdout: '' });
    expect(nowhere.stderr).toContain('report.html is a file');
    const page = readFileSync(out, 'utf8');
    expect(page).toContain('3 changes, 2 still open');
    expect(page).toContain('health unknown');
    expect(page).toContain('the webhook answered 500');
    expect(page).not.toContain(watched);
  },
  commandMs,
);

it(
  'shows where changes go, and asks a disabled sink again when a person says so',
  async () => {
    const env = {
      MONITOR_SINKS: 'file,webhook',
      MONITOR_WEBHOOK_URL: 'https://receiver.test/changes',
      MONITOR_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    };
    const why = 'the webhook answered 410';
    const settings = fingerprintOf({ url: env.MONITOR_WEBHOOK_URL });
    await new SinkRepository(store).disable('webhook', { at: '2026-05-04', why, settings });
    const disabled = await run(['sink'], env);
    expect(disabled).toMatchObject({ code: 3 });
    expect(disabled.stdout).toMatch(/webhook +required +disabled since 2026-05-04/);
    // One at another address is another one.
    const elsewhere = { ...env, MONITOR_WEBHOOK_URL: 'https://other.test/changes' };
    expect(await run(['sink'], elsewhere)).toMatchObject({ code: 0 });
    expect(await run(['sink', '--enable', 'webhook', '--json'], env)).toMatchObject({ code: 0 });
    expect(await run(['sink'], env)).toMatchObject({ code: 0 });
  },
  commandMs,
);
