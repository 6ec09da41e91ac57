import { oneAfterTheOther, runsOf } from '../support/issuances-in-turn';
import { counted, minute, second, workflowSuite } from '../support/workflow-environment';

workflowSuite('places that no watch hands on to a run', (rig) => {
  it('are not waited for by a run while no row is outstanding', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: minute }] } });
    const lane = await rig().startLane({ rows: 8, share: 4 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 8 }) });
    expect(runsOf(fakes)[0]).toMatchObject({ rows: { length: 4 }, slots: 4 });
  });

  it('cost nothing when runs and watches are at different workers', async () => {
    const fakes = rig().fakes(oneAfterTheOther(60, 100));
    fakes.handsOn = false;
    const lane = await rig().startLane({ rows: 60, share: 20 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 60 }) });
    const runs = runsOf(fakes);
    expect(runs.every(({ slots }) => slots > 0)).toBe(true);
    // What found no place goes again at once, in runs as large as before.
    expect(runs.some(({ rows, slots }) => slots < rows.length)).toBe(true);
    expect(Math.max(...runs.slice(5).map(({ rows }) => rows.length))).toBe(10);
    const at = fakes.service.sent.map((sent) => sent.at);
    expect(Math.max(...at) - Math.min(...at)).toBeLessThan(15 * second);
    expect(fakes.rowsInFlight.get('lane-0000')?.most).toBe(20);
  });

  it('are not asked for again and again while issuances are slow', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: 4 * minute }] } });
    const lane = await rig().startLane({ rows: 30, share: 10 });
    await rig().until(() => fakes.service.places.length === 20, 30 * second);
    const runs = runsOf(fakes).length;
    await rig().pass(2 * minute);
    expect(runsOf(fakes).length - runs).toBeLessThanOrEqual(1);
    expect(await lane.result()).toEqual({ counts: counted({ issued: 30 }) });
  });
});
