import type { Store } from '../../../src/store/store';
import { MonitorListRepository } from '../../../src/store/monitors/lists';
import { fingerprintOf, SinkRepository } from '../../../src/store/monitors/sinks';
import { examineMonitors, examineSinks } from '../../../src/doctor/monitors';
import type { Finding } from '../../../src/doctor/finding';
import { readEnvironment } from '../../../src/environment';
import { parseConfig } from '../../../src/environment/config-file';
import { startSandbox, type MonitorPatch, type Sandbox } from '../../../src/sandbox';
import { newStore } from '../../support/new-store';

const monitor = '3f0c6a52-7d1e-4b8a-9c55-0e9d2a6b1f47';

describe('doctor, asked about monitors', () => {
  let sandbox: Sandbox;
  let store: Store;
  beforeEach(async () => {
    sandbox = await startSandbox();
    store = newStore();
    await new MonitorListRepository(store).put('carteira', [monitor]);
    hold({
      changes: [
        { severity: 'info' },
        { severity: 'critical', acknowledged: true },
        { severity: 'warn' },
      ],
    });
  });
  afterEach(() => sandbox.close());

  type Script = NonNullable<NonNullable<MonitorPatch['held']>[string]>;
  const hold = (script: Script, more: MonitorPatch = {}) =>
    sandbox.configure({ monitors: { ...more, held: { [monitor]: script } } });

  async function examine(config: object = {}, where?: Store) {
    const variables = {
      INVESTIGATION_BASE_URL: sandbox.baseUrl,
      INVESTIGATION_TOKEN: 'sandbox-token',
      INVESTIGATION_RPS: '1000',
    };
    const environment = readEnvironment(variables, parseConfig(config));
    return examineMonitors(environment, where ?? store, 1_000);
  }
  const states = (findings: readonly Finding[]) =>
    findings.map(({ check, state }) => `${check.replace('monitors ', '')} ${state}`);

  it.each([
    ['file,webhook', 'fail', 'changes stay open'],
    ['file,webhook?', 'warn', 'acknowledged without it'],
  ])('tells that a sink of %s is asked no more', async (sinks, state, words) => {
    const url = 'https://receiver.test/changes';
    const environment = (address: string) =>
      readEnvironment({
        MONITOR_SINKS: sinks,
        MONITOR_WEBHOOK_URL: address,
        MONITOR_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      });
    expect(await examineSinks(environment(url), store)).toEqual([]);
    const settings = fingerprintOf({ url });
    const why = 'the webhook answered 410';
    await new SinkRepository(store).disable('webhook', { at: '2026-05-04', why, settings });
    const [finding] = await examineSinks(environment(url), store);
    expect(finding).toMatchObject({ check: 'sink webhook', state });
    expect(finding?.detail).toContain(words);
    expect(finding?.fix).toContain('monitor sink --enable webhook');
    expect(await examineSinks(environment('https://other.test/changes'), store)).toEqual([]);
  });

  it('finds names in order by a few reads, and moves nothing', async () => {
    expect(states(await examine())).toEqual([
      'monitors ok',
      'lists.pageSizeParam ok',
      'lists.cursorParam ok',
      'lists.statusParam ok',
      'lists.severityParam ok',
      'monitors.readPath ok',
    ]);
    const methods = new Set(sandbox.monitors.received().map(({ method }) => method));
    expect(methods).toEqual(new Set(['GET']));
    expect(sandbox.monitors.received().length).toBeLessThanOrEqual(9);
  });

  it.each([
    ['lists.pageSizeParam', 'pageSizeName'],
    ['lists.cursorParam', 'cursorName'],
    ['lists.statusParam', 'statusName'],
    ['lists.severityParam', 'severityName'],
  ])('sees that %s is ignored, and when it is refused', async (key, name) => {
    sandbox.configure({ monitors: { defaultPageSize: 2, [name]: 'ignored' } });
    const about = (findings: readonly Finding[]) =>
      findings.filter(({ state }) => state !== 'ok').map(({ check, detail }) => [check, detail]);
    expect(about(await examine())).toEqual([[key, expect.stringContaining('has no effect')]]);
    sandbox.configure({ monitors: { defaultPageSize: 2, [name]: 'renamed' } });
    expect(about(await examine())).toEqual([[key, expect.stringContaining('is refused')]]);
    expect(about(await examine({ lists: { [key.replace('lists.', '')]: 'renamed' } }))).toEqual([]);
  });

  it('does not take for proved what the changes do not show', async () => {
    hold({ changes: [] });
    const findings = await examine();
    for (const { state, detail } of findings.slice(1, 5)) {
      expect([state, detail]).toEqual(['ok', expect.stringContaining('is assumed')]);
    }
  });

  it('says that a monitor cannot be read, or may not run', async () => {
    hold({ changes: [] }, { readRoute: 'unknown' });
    expect((await examine()).at(-1)).toMatchObject({
      check: 'monitors.readPath',
      state: 'warn',
      fix: expect.stringContaining('health unknown'),
    });
    hold(
      { execution_allowed: false, blocking_reason: 'payment_required' },
      { readRoute: 'served' },
    );
    expect((await examine()).at(-1)).toMatchObject({
      state: 'warn',
      detail: `monitor ${monitor} may not run: payment_required`,
    });
  });

  it('proves the token without a monitor, and looks no further', async () => {
    const [finding, ...others] = await examine({}, newStore());
    expect(finding).toMatchObject({ state: 'ok', detail: expect.stringContaining('is taken') });
    expect(others).toEqual([]);
    sandbox.setToken('sandbox-token', false);
    expect(await examine({}, newStore())).toMatchObject([
      { check: 'monitors', state: 'fail', fix: expect.stringContaining('INVESTIGATION_TOKEN') },
    ]);
  });

  it('warns of a watched monitor that the service does not know', async () => {
    sandbox.configure({ monitors: { held: { [monitor]: null } } });
    expect(await examine()).toMatchObject([
      { state: 'warn', detail: expect.stringContaining(monitor) },
    ]);
  });

  it('says nothing of monitors without the service', async () => {
    expect(await examineMonitors(readEnvironment({}), store)).toEqual([]);
  });
});
