import type { Store } from '../../../src/store/store';
import { MonitorListRepository } from '../../../src/store/monitors/lists';
import { fingerprintOf, SinkRepository } from '../../../src/store/monitors/sinks';
import { examineMonitors, examineSinks } from '../../../src/doctor/service';
import { readEnvironment } from '../../../src/environment';
import { startSandbox, type Sandbox } from '../../../src/sandbox';
import { newStore } from '../../support/new-store';

const monitor = '3f0c6a52-7d1e-4b8a-9c55-0e9d2a6b1f47';

describe('doctor, asked about monitors', () => {
  let sandbox: Sandbox;
  let store: Store;
  beforeEach(async () => {
    sandbox = await startSandbox();
    store = newStore();
    await new MonitorListRepository(store).put('carteira', [monitor]);
  });
  afterEach(() => sandbox.close());

  async function examine(where: Store = store) {
    const variables = {
      INVESTIGATION_BASE_URL: sandbox.baseUrl,
      INVESTIGATION_TOKEN: 'sandbox-token',
      INVESTIGATION_RPS: '1000',
    };
    return examineMonitors(readEnvironment(variables), where);
  }

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

  it('proves the token without a monitor, and looks no further', async () => {
    const [finding, ...others] = await examine(newStore());
    expect(finding).toMatchObject({ state: 'ok', detail: expect.stringContaining('is taken') });
    expect(others).toEqual([]);
    sandbox.setToken('sandbox-token', false);
    expect(await examine(newStore())).toMatchObject([
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
