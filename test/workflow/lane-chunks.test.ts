import {
  ascending,
  counted,
  minute,
  hour,
  placesUpTo,
  second,
  workflowSuite,
} from '../support/workflow-environment';

workflowSuite('the chunks of a lane', (rig) => {
  it('count refusals as failed and reused certificates as issued, and poll neither', async () => {
    const fakes = rig().fakes({ 1: { answers: ['refuse'] }, 2: { answers: ['reuse'] } });
    const lane = await rig().startLane({ rows: 4 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 3, failed: 1 }) });
    const watched = fakes.callsOf('pollCertificates').flatMap(({ input }) => input.rows);
    expect(new Set(watched.map(([rowIndex]) => rowIndex))).toEqual(new Set([0, 3]));
  });

  it('hold at most a hundred rows, and at most three are in flight', async () => {
    const fakes = rig().fakes({}, { requestMs: 50 });
    const lane = await rig().startLane({ rows: 320, share: 320 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 320 }) });
    const sizes = fakes.callsOf('requestCertificates').map(({ input }) => input.rows.length);
    expect(Math.max(...sizes)).toBe(100);
    expect(fakes.runsInFlight.get('lane-0000')?.most).toBe(3);
    expect(fakes.service.places.toSorted(ascending)).toEqual(placesUpTo(320));
    const names = fakes.callsOf('requestCertificates').map(({ input }) => input.chunk);
    expect(new Set(names).size).toBe(names.length);
  });

  it('wait a moment for more free slots rather than start small', async () => {
    const ending = { as: 'issued', afterMs: 3 * second } as const;
    const fakes = rig().fakes({}, { usual: { endings: [ending] } });
    const lane = await rig().startLane({ rows: 12, share: 4 });
    await lane.result();
    const chunks = fakes.callsOf('requestCertificates').map(({ input }) => input);
    const withSlots = chunks.filter(({ slots }) => slots > 0);
    expect(withSlots.map(({ rows }) => rows.length)).toEqual([4, 4, 4]);
    // One waited beside the first poll, and none after it had waited in vain.
    expect(chunks.length - withSlots.length).toBeLessThanOrEqual(1);
  });

  it.each([
    // As many beside each other as ever: a service that answers slowly needs them all.
    { unsent: 'no_time', sizes: [1, 3, 3] },
    // One at a time, of what could be had; when that was quick, of twice as many.
    { unsent: 'no_permit', sizes: [3, 4] },
  ] as const)('become shorter, without a wait, for want of $unsent', async ({ unsent, sizes }) => {
    const slow = { answers: [{ unsent, waitMs: 100 } as const, 'accept' as const] };
    const fakes = rig().fakes({ 3: slow });
    const lane = await rig().startLane({ rows: 10, share: 10 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 10 }) });
    const [first, ...others] = fakes.callsOf('requestCertificates');
    expect(first?.input.rows).toHaveLength(10);
    expect(others.map(({ input }) => input.rows.length).toSorted(ascending)).toEqual(sizes);
    for (const { at } of others) expect(at - (first?.at ?? 0)).toBeLessThan(second);
  });

  it('stop while the token is refused, and probe with one row at doubling intervals', async () => {
    const fakes = rig().fakes();
    fakes.service.shut = { unsent: 'credentials', waitMs: second };
    const lane = await rig().startLane({ rows: 10, share: 10 });
    const runs = () => fakes.callsOf('requestCertificates');
    await rig().until(() => runs().length === 12, 2 * minute);
    expect(await rig().progressOf(lane.workflowId)).toMatchObject({
      waiting: { reason: 'credentials', until: expect.any(Number) as number },
      again: 0,
    });
    fakes.service.shut = null;
    expect(await lane.result()).toEqual({ counts: counted({ issued: 10 }) });
    expect(runs().map(({ input }) => input.rows.length)).toEqual([
      10,
      ...Array<number>(12).fill(1),
      ...runs()
        .slice(13)
        .map(({ input }) => input.rows.length),
    ]);
    const gaps = runs().map(({ at }, index, all) => at - (all[index - 1]?.at ?? at));
    for (let failures = 1; failures <= 12; failures += 1) {
      const full = Math.min(second * 2 ** (failures - 1), 5 * minute);
      expect(gaps[failures]).toBeGreaterThanOrEqual(Math.max(full * 0.75, second));
      expect(gaps[failures]).toBeLessThan(full + second);
    }
    expect(fakes.service.places.toSorted(ascending)).toEqual(placesUpTo(10));
  });

  it('wait as long as a service asks that throttles all of them, and do not try before', async () => {
    const fakes = rig().fakes();
    fakes.service.shut = { unsent: 'not_sent', waitMs: 10 * minute };
    const lane = await rig().startLane({ rows: 60, share: 10 });
    const runs = () => fakes.callsOf('requestCertificates');
    await rig().until(
      async () => (await rig().progressOf(lane.workflowId)).waiting?.reason === 'service',
    );
    const before = runs().length;
    expect(before).toBeLessThanOrEqual(8);
    fakes.service.shut = null;
    expect(await lane.result()).toEqual({ counts: counted({ issued: 60 }) });
    const [read] = fakes.callsOf('proveAccess');
    const probe = runs()[before];
    expect((probe?.at ?? 0) - (runs()[before - 1]?.at ?? 0)).toBeGreaterThanOrEqual(10 * minute);
    expect(read?.at).toBeLessThanOrEqual(probe?.at ?? 0);
    expect(probe?.input.rows).toHaveLength(1);
  });

  it('continue when single rows are throttled or lose their responses', async () => {
    const away = { unsent: 'not_sent', waitMs: 10 * minute } as const;
    const fakes = rig().fakes({
      2: { answers: ['unknown'] },
      10: { answers: [away, 'accept'] },
      20: { answers: ['unknown'] },
    });
    const startedAt = await rig().now();
    const lane = await rig().startLane({ rows: 40, share: 10 });
    await rig().until(() => fakes.service.places.length >= 39);
    expect((await rig().now()) - startedAt).toBeLessThan(minute);
    expect(await lane.result()).toEqual({ counts: counted({ issued: 38, unknown: 2 }) });
    expect(fakes.callsOf('proveAccess')).toEqual([]);
  });

  it('stop at a cluster of failures, try a row from elsewhere, and are past it within a minute', async () => {
    const cluster = Object.fromEntries(
      Array.from({ length: 16 }, (_, n) => [n, { answers: ['unknown' as const] }]),
    );
    const fakes = rig().fakes(cluster);
    const startedAt = await rig().now();
    const lane = await rig().startLane({ rows: 100, share: 10 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 84, unknown: 16 }) });
    // Not now: a server where nothing runs skips to the end of its time.
    const lastAt = Math.max(...fakes.callsOf('requestCertificates').map(({ at }) => at));
    expect(lastAt - startedAt).toBeLessThan(minute);
    expect(fakes.callsOf('proveAccess').length).toBeGreaterThan(0);
    const probes = fakes
      .callsOf('requestCertificates')
      .filter(({ input }) => input.rows.length === 1);
    const places = probes.map(({ input }) => input.rows[0]?.[0] ?? 0);
    expect(places.some((rowIndex) => rowIndex > 40)).toBe(true);
    expect(fakes.service.places.toSorted(ascending)).toEqual(placesUpTo(100));
  });

  it('wait for a person after a row was throttled twenty times', async () => {
    const away = { unsent: 'not_sent' } as const;
    const fakes = rig().fakes({
      0: { answers: [...Array.from({ length: 20 }, () => away), 'accept'] },
    });
    const lane = await rig().startLane({ rows: 1 });
    const runs = () => fakes.callsOf('requestCertificates').length;
    await rig().until(() => runs() === 20, 5 * minute);
    await rig().pass(hour);
    expect(runs()).toBe(20);
    expect((await rig().progressOf(lane.workflowId)).waiting).toEqual({
      reason: 'decision',
      until: null,
    });
    await lane.signal('control', { paused: false });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 1 }) });
    expect(runs()).toBe(21);
  });

  it('return unsent at the deadline, and outstanding rows are completed', async () => {
    const ending = { as: 'issued', afterMs: 3 * minute } as const;
    const fakes = rig().fakes({}, { usual: { endings: [ending] } });
    const requestUntil = (await rig().now()) + minute;
    const lane = await rig().startLane({ rows: 30, share: 10, terms: { requestUntil } });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 10, cancelled: 20 }) });
    expect(fakes.service.places).toHaveLength(10);
  });
});
