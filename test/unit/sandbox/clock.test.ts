import { manualClockStartAt, SandboxClock } from '../../../src/sandbox/core/clock';

describe('the clock of the sandbox', () => {
  test('a manual clock stands still until it is moved', () => {
    const clock = new SandboxClock('manual');
    expect(clock.now()).toBe(manualClockStartAt);
    clock.advance(1500);
    expect(clock.now()).toBe(manualClockStartAt + 1500);
    clock.set('2026-02-01T00:00:00.000Z');
    expect(clock.isoNow()).toBe('2026-02-01T00:00:00.000Z');
  });

  test('a wait ends when the clock reaches its end, not before', async () => {
    const clock = new SandboxClock('manual');
    const woken: string[] = [];
    const short = clock.sleep(100).then(() => woken.push('short'));
    const long = clock.sleep(200).then(() => woken.push('long'));
    clock.advance(100);
    await short;
    expect(woken).toEqual(['short']);
    clock.advance(100);
    await long;
    expect(woken).toEqual(['short', 'long']);
  });

  test('a real clock pushed ahead ends waits too', async () => {
    const clock = new SandboxClock('real');
    const wait = clock.sleep(3_600_000);
    clock.advance(3_600_000);
    await wait;
    expect(clock.now() - Date.now()).toBeGreaterThan(3_590_000);
  });

  test('a reset ends every wait', async () => {
    const clock = new SandboxClock('real');
    const wait = clock.sleep(3_600_000);
    clock.reset();
    await wait;
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1000);
  });
});
