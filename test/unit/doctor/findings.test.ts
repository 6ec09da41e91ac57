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
  it('fail when there is none', () => {
    expect(pollersFinding('queue', 0)).toMatchObject({ state: 'fail' });
    expect(pollersFinding('queue', 3)).toMatchObject({ state: 'ok', cure: null });
  });
});
