import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox, type MonitorPatch, type Sandbox } from '../../src/sandbox';
import { updateCommand } from '../../src/starters/monitors/update';

const monitor = '3f0c6a52-7d1e-4b8a-9c55-0e9d2a6b1f47';
const variables = { ...process.env };
let sandbox: Sandbox;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diligence-monitor-'));
  sandbox = await startSandbox({ clock: 'manual' });
  process.env['DILIGENCE_DATA_DIR'] = folder;
  process.env['INVESTIGATION_BASE_URL'] = sandbox.baseUrl;
  process.env['INVESTIGATION_TOKEN'] = 'sandbox-token';
  hold({
    identifier: '52998224725',
    name: 'Carteira A',
    emails: ['ana@example.com'],
    frequency_hours: 24,
  });
});
afterEach(async () => {
  process.env = { ...variables };
  process.exitCode = undefined;
  jest.restoreAllMocks();
  await sandbox.close();
  await rm(folder, { recursive: true });
});

type Script = NonNullable<NonNullable<MonitorPatch['held']>[string]>;
const hold = (script: Script) => sandbox.configure({ monitors: { held: { [monitor]: script } } });
const bodies = () => sandbox.monitors.received().map(({ method, body }) => [method, body]);

interface Told {
  out: string;
  err: string;
}

/** Runs the command in this process; errors are thrown as the command line gets them. */
async function run(...given: string[]): Promise<Told> {
  const told = { out: '', err: '' };
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    told.out += String(text);
    return true;
  });
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told.err += String(text);
    return true;
  });
  const command = updateCommand({ pause: async () => {} });
  command.exitOverride().configureOutput({ writeErr: () => {} });
  try {
    await command.parseAsync(given, { from: 'user' });
  } finally {
    jest.restoreAllMocks();
  }
  return told;
}

test('sends the given fields and no others, and prints the monitor as answered', async () => {
  const { out } = await run(monitor, '--name', 'Carteira B', '--listen', 'debts,partners');
  expect(bodies()).toEqual([
    ['PATCH', { name: 'Carteira B', listen_items: ['debts', 'partners'] }],
  ]);
  expect(out).toBe(
    [
      `${monitor}  active  Carteira B (***.982.247-**)`,
      '  listens to debts, partners, every 24 h',
      '  e-mails: ana@example.com',
      '',
    ].join('\n'),
  );
});

test('prints the answer as it came, and why the monitor may not run', async () => {
  sandbox.monitors.set(monitor, { execution_allowed: false, blocking_reason: 'payment_required' });
  const { out } = await run(monitor, '--frequency', '6', '--emails', '', '--json');
  expect(JSON.parse(out)).toMatchObject({
    monitor: { id: monitor, frequency_hours: 6, emails: [], identifier: '52998224725' },
    notTaken: [],
  });
  const again = await run(monitor, '--frequency', '6');
  expect(again.out).toContain('  may not run, and detects nothing: payment_required\n');
});

test.each([
  ['no field', [monitor]],
  ['a frequency of 0', [monitor, '--frequency', '0']],
  ['a frequency of 721', [monitor, '--frequency', '721']],
  ['half an hour', [monitor, '--frequency', '0.5']],
  ['an item that nobody can listen to', [monitor, '--listen', 'debts,weather']],
  ['no item to listen to', [monitor, '--listen', '']],
  ['an item twice', [monitor, '--listen', 'debts,debts']],
  ['an address without a domain', [monitor, '--emails', 'ana@example.com,bia']],
  ['an empty name', [monitor, '--name', ' ']],
  ['an id that is no UUID', ['m-1', '--name', 'B']],
])('%s is wrong usage, and nothing is sent', async (_, given) => {
  await expect(run(...given)).rejects.toMatchObject({
    name: expect.stringMatching(/^(UsageError|CommanderError)$/),
  });
  expect(sandbox.monitors.received()).toEqual([]);
});

test('an update whose answer is lost is sent again', async () => {
  hold({ update: ['reset_after', { kind: '429', retryAfterSeconds: 0 }] });
  await run(monitor, '--name', 'B');
  const sent = ['PATCH', { name: 'B' }];
  expect(bodies()).toEqual([sent, sent, sent]);
});

test('an update whose answer cannot be read is read back and compared', async () => {
  hold({ name: 'A', update: ['unreadable_2xx', 'unreadable_2xx'] });
  expect((await run(monitor, '--name', 'B')).out).toContain(`${monitor}  active  B`);
  sandbox.configure({ monitors: { frozenFields: ['name'] } });
  expect((await run(monitor, '--name', 'C')).out).toContain('  name: asked for C, answered B');
  expect(process.exitCode).toBe(3);
  expect(bodies().filter(([method]) => method === 'PATCH')).toHaveLength(2);
});

test('what was asked for and answered otherwise is told, and needs a person', async () => {
  sandbox.configure({ monitors: { readRoute: 'unknown' } });
  hold({ name: 'A', update: ['unreadable_2xx'] });
  await expect(run(monitor, '--name', 'B')).rejects.toThrow(
    /the service took the change, but PATCH .* cannot be read/,
  );
  // A service that does not do what it says: the answer holds the old name.
  hold({ name: 'A' });
  sandbox.configure({ monitors: { frozenFields: ['name'] } });
  const { out, err } = await run(monitor, '--name', 'B');
  expect(out).toContain(`${monitor}  active  A`);
  expect(out).toContain('  name: asked for B, answered A');
  expect(err).toContain('not as asked for: name');
  expect(process.exitCode).toBe(3);
});

test.each([
  ['cancelled', { status: 'cancelled' } as const, { name: 'StatusError', status: 409 }],
  ['unknown', null, { name: 'CommandError', message: `there is no monitor ${monitor}` }],
])('a monitor that is %s is told, and not asked for again', async (_, script, expected) => {
  sandbox.configure({ monitors: { held: { [monitor]: script } } });
  await expect(run(monitor, '--name', 'B')).rejects.toMatchObject(expected);
  expect(bodies()).toHaveLength(1);
});

test('without a service it says which variable is missing', async () => {
  delete process.env['INVESTIGATION_BASE_URL'];
  delete process.env['INVESTIGATION_TOKEN'];
  await expect(run(monitor, '--name', 'B')).rejects.toMatchObject({
    name: 'ConfigError',
    variable: 'INVESTIGATION_BASE_URL',
  });
});
