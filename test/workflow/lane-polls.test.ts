import {
  ascending,
  counted,
  minute,
  placesUpTo,
  second,
  workflowSuite,
} from '../support/workflow-environment';

workflowSuite('the polls of a lane', (rig) => {
  const slow = { endings: [{ as: 'issued', afterMs: 10 * minute } as const] };

  it('return sooner when rows wait for slots that no chunk takes', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: second }] } });
    const lane = await rig().startLane({ rows: 20, share: 10 });
    await lane.result();
    const watches = fakes.callsOf('pollCertificates').map(({ input }) => input);
    expect(watches[0]).toMatchObject({ lingerMs: 1_000, slotLingerMs: 120 });
    expect(watches.at(-1)).toMatchObject({ lingerMs: 1_000, slotLingerMs: 1_000 });
  });

  it('do not let slow rows delay fresh ones', async () => {
    const later = { endings: [{ as: 'issued', afterMs: 2 * minute } as const] };
    const scripts = Object.fromEntries(placesUpTo(16).map((place) => [place, later]));
    const fakes = rig().fakes(scripts, { usual: { endings: [{ as: 'issued', afterMs: second }] } });
    const lane = await rig().startLane({ rows: 60, share: 20 });
    await rig().until(() => fakes.service.places.length === 60, second);
    await rig().until(async () => {
      const { outstanding } = await rig().progressOf(lane.workflowId);
      return outstanding === 16;
    }, second);
    const [first] = fakes.service.sent;
    // Four slots at a time: 11 rounds of a little more than a second and the wait for slots.
    expect((await rig().now()) - (first?.at ?? 0)).toBeLessThan(minute);
    expect(await lane.result()).toEqual({ counts: counted({ issued: 60 }) });
  });

  it('hold at most 250 rows, and leave a slot for fresh ones', async () => {
    const fakes = rig().fakes(
      {
        0: {
          endings: [
            { as: 'retryable', afterMs: 0, againAfterMs: 2 * minute },
            { as: 'issued', afterMs: 0 },
          ],
        },
      },
      { usual: slow, pollMs: 10 * second },
    );
    const lane = await rig().startLane({ rows: 320, share: 320 });
    await rig().until(() => fakes.service.places.length === 320);
    await rig().until(() => fakes.service.places.length === 321, 10 * second);
    await rig().pass(5 * second);
    const again = fakes.service.sentFor(0)[1]?.at ?? 0;
    const watches = fakes.callsOf('pollCertificates');
    const sizes = watches.map(({ input }) => input.rows.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(250);
    // Few and large ones: their rows wait for company.
    expect(Math.max(...sizes)).toBeGreaterThan(150);
    // It is polled soon, while the others hold the slow ones for half a minute and more.
    const fresh = watches.find(({ input }) => input.rows.some(([, id]) => id === 'c-0-2'));
    expect((fresh?.at ?? 0) - again).toBeLessThan(10 * second);
    expect(await rig().progressOf(lane.workflowId)).toMatchObject({
      outstanding: 319,
      counts: counted({ issued: 1 }),
    });
    expect(fakes.watchesInFlight.most).toBeLessThanOrEqual(4);
  });

  it('carry due times, and hold old rows longer', async () => {
    const ending = { as: 'issued', afterMs: 25 * minute } as const;
    const fakes = rig().fakes({ 0: { endings: [ending] } });
    const lane = await rig().startLane({ rows: 1 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 1 }) });
    const watches = fakes.callsOf('pollCertificates');
    for (const [index, { input }] of watches.entries()) {
      const answer = fakes.watchAnswers[index - 1];
      if (answer === undefined) continue;
      const dueAt = input.rows[0]?.[3];
      const before = watches[index - 1]?.input.rows[0]?.[3];
      expect(dueAt).toBe(answer.due[0]?.[1] ?? before);
    }
    expect(watches[0]?.input.boundMs).toBe(5 * second);
    expect(watches.at(-1)?.input.boundMs).toBe(5 * minute);
    expect(watches.length).toBeLessThan(40);
  });

  it('are repeated when their worker is lost, and nothing is requested twice', async () => {
    const fakes = rig().fakes();
    let failures = 3;
    fakes.before.pollCertificates = () => {
      failures -= 1;
      if (failures >= 0) throw new Error('the worker was lost');
    };
    const lane = await rig().startLane({ rows: 10 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 10 }) });
    expect(fakes.service.places.sort(ascending)).toEqual(placesUpTo(10));
  });

  it('show that the token is refused', async () => {
    const fakes = rig().fakes({ 0: { endings: [{ as: 'issued', afterMs: 30 * second }] } });
    fakes.trouble = 'credentials';
    const lane = await rig().startLane({ rows: 1 });
    await rig().until(() => fakes.watchAnswers.length === 1);
    await rig().pass(100);
    expect((await rig().progressOf(lane.workflowId)).waiting?.reason).toBe('credentials');
    fakes.trouble = null;
    await lane.result();
    expect((await rig().progressOf(lane.workflowId)).waiting).toBeNull();
  });
});
