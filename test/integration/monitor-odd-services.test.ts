import { randomUUID } from 'node:crypto';
import type { MonitorNote, ScanOutcome } from '../../src/domain/monitors/scan';
import type { Installation } from '../support/diligence-process';
import {
  holdMonitor,
  leftOpen,
  monitorInstallation,
  sweep,
  type HeldScript,
  type MonitorSection,
} from '../support/monitor-installation';

jest.setTimeout(120_000);

describe('a sweep at a service that is not as assumed', () => {
  let place: Installation;
  beforeAll(async () => {
    place = await monitorInstallation({ cursors: 'shifting' });
  });
  afterAll(() => place.stop());

  const held = (script: HeldScript, rules: MonitorSection = {}) =>
    holdMonitor(place, script, rules);
  const left = (monitorId: string) => leftOpen(place, monitorId);

  test.each([
    ['pageSizeName', 'lists.pageSizeParam', []],
    ['statusName', 'lists.statusParam', []],
    ['severityName', 'lists.severityParam', ['--severity', 'info']],
  ] as const)(
    'a service that ignores %s is told by %s, and swept all the same',
    async (name, variable, more) => {
      const deaf = held({ seededChanges: 120 }, { [name]: 'ignored' });
      place.sandbox.monitors.acknowledgeElsewhere(
        deaf,
        place.sandbox.monitors
          .changes(deaf)
          .slice(0, 10)
          .map(({ changeId }) => changeId),
      );
      const words = ['monitor', 'sweep', '--monitors', deaf, ...more];
      const { stdout } = await place.run(words);
      expect(stdout).toContain(variable);
      const severities = new Set(left(deaf).map(({ severity }) => severity));
      expect(severities).toEqual(new Set(more.length === 0 ? [] : ['critical', 'warn']));
    },
  );

  test('a service that ignores cursors is swept while pages empty, and told of where they do not', async () => {
    const deaf = held({ seededChanges: 220 }, { cursorName: 'ignored' });
    const { outcome } = await sweep(place, deaf);
    expect(left(deaf)).toEqual([]);
    expect(outcome).toMatchObject({ status: 'partly', fault: { fault: 'cursor repeated' } });
    expect(outcome?.fault?.message).toContain('lists.cursorParam');
  });

  test('monitors that are gone, cancelled or may not run are told, and cost the others nothing', async () => {
    const ids = {
      cancelled: held({ status: 'cancelled', changes: [{}] }),
      blocked: held({ execution_allowed: false, blocking_reason: 'payment_required' }),
      unknown: randomUUID(),
      broken: held({ list: Array.from({ length: 50 }, () => '500_html' as const) }),
      fine: held({ changes: [{}, {}] }, { readRoute: 'unknown' }),
    };
    const words = ['monitor', 'sweep', '--monitors', Object.values(ids).join(','), '--json'];
    const { code, stdout } = await place.run(words);
    const { outcome } = JSON.parse(stdout) as { outcome: ScanOutcome & { notes: MonitorNote[] } };
    const failing = outcome.notes.filter(({ kind }) => kind === 'failing');
    expect(code).toBe(3);
    expect(outcome.counts).toMatchObject({ probed: 5, failing: 2, acknowledged: 3 });
    expect(failing.map(({ monitorId }) => monitorId).sort()).toEqual(
      [ids.unknown, ids.broken].sort(),
    );
    expect(left(ids.cancelled)).toEqual([]);
    expect(left(ids.fine)).toEqual([]);
  });

  test('no document is in the log of the worker', async () => {
    const log = await place.workerLog();
    const state = place.sandbox.monitors.state();
    const identifiers = JSON.stringify(state).match(/\b\d{11}(?:\d{3})?\b/g) ?? [];
    expect(identifiers.length).toBeGreaterThan(0);
    for (const identifier of identifiers) expect(log).not.toContain(identifier);
  });
});
