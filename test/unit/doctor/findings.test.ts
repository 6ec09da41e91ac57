import { pollersFinding } from '../../../src/doctor/engine';
import { clockOffMs } from '../../../src/doctor/service';

describe('the clock', () => {
  const at = Date.parse('2026-11-21T18:00:00Z');

  it('is right when the whole second that the service names touches the time of asking', () => {
    expect(clockOffMs(at, at + 900, at + 950)).toBe(0);
    expect(clockOffMs(at, at - 300, at + 10)).toBe(0);
  });

  it('is off by what lies outside it, either way', () => {
    expect(clockOffMs(at + 60_000, at, at + 50)).toBe(59_950);
    expect(clockOffMs(at - 60_000, at, at + 50)).toBe(59_001);
  });
});

describe('workers that poll a queue', () => {
  const state = (pollers: number, declared: number, kind: 'workflows' | 'certificate-requests') =>
    pollersFinding(kind, 'queue', pollers, declared);

  it('fail when there is none', () => {
    expect(state(0, 1, 'workflows')).toMatchObject({ state: 'fail' });
  });

  it('are right when as many as declared', () => {
    expect(state(2, 2, 'certificate-requests')).toMatchObject({ state: 'ok', cure: null });
  });

  it('are a warning when more or fewer share the rate, with the value that mends it', () => {
    for (const pollers of [1, 3]) {
      expect(state(pollers, 2, 'certificate-requests')).toMatchObject({
        state: 'warn',
        cure: expect.stringContaining(`DILIGENCE_WORKERS=${pollers}`),
      });
    }
  });

  it('may be any number where no rate is shared', () => {
    expect(state(4, 1, 'workflows')).toMatchObject({ state: 'ok' });
  });
});
