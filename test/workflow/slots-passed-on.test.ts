import type { FakeActivities } from '../support/fake-activities';
import { oneAfterTheOther, runsOf } from '../support/issuances-in-turn';
import {
  ascending,
  counted,
  minute,
  placesUpTo,
  second,
  workflowSuite,
} from '../support/workflow-environment';

const handedOn = (fakes: FakeActivities): number =>
  fakes.watchAnswers
    .flatMap((answer) => answer.handedOn)
    .reduce((sum, [, count]) => sum + count, 0);

workflowSuite('slots that polls pass on to chunks', (rig) => {
  it('let a chunk take more rows than it has slots', async () => {
    const fakes = rig().fakes(oneAfterTheOther(60, 100));
    const lane = await rig().startLane({ rows: 60, share: 20 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 60 }) });
    const runs = runsOf(fakes);
    expect(runs.some(({ rows, slots }) => slots < rows.length)).toBe(true);
    expect(runs.every(({ rows, slots }) => slots <= rows.length)).toBe(true);
  });

  it('never bring more rows in flight than the share of the lane', async () => {
    const fakes = rig().fakes(oneAfterTheOther(60, 100), { requestMs: 5 });
    const lane = await rig().startLane({ rows: 60, share: 17 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 60 }) });
    expect(handedOn(fakes)).toBeGreaterThan(0);
    expect(fakes.rowsInFlight.get('lane-0000')?.most).toBe(17);
    expect(fakes.service.places.toSorted(ascending)).toEqual(placesUpTo(60));
  });

  it('count in the progress as outstanding once, within the share', async () => {
    const fakes = rig().fakes(oneAfterTheOther(100, 100));
    const lane = await rig().startLane({ rows: 100, share: 10 });
    await rig().until(() => handedOn(fakes) > 10, second);
    const { outstanding, requesting } = await rig().progressOf(lane.workflowId);
    expect(outstanding + requesting).toBeLessThanOrEqual(10);
  });
});

workflowSuite('slots that no poll passes on', (rig) => {
  it('are not waited for while no row is outstanding', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: minute }] } });
    const lane = await rig().startLane({ rows: 8, share: 4 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 8 }) });
    expect(runsOf(fakes)[0]).toMatchObject({ rows: { length: 4 }, slots: 4 });
  });

  it('cost nothing when chunks and polls run on different workers', async () => {
    const fakes = rig().fakes(oneAfterTheOther(60, 100));
    fakes.handsOn = false;
    const lane = await rig().startLane({ rows: 60, share: 20 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 60 }) });
    const runs = runsOf(fakes);
    // Only the first poll is waited beside, by each chunk: nothing is passed on.
    expect(runs.filter(({ slots }) => slots === 0)).toHaveLength(3);
    // Rows without a slot go again at once, in chunks as large as before.
    expect(runs.some(({ rows, slots }) => slots < rows.length)).toBe(true);
    expect(Math.max(...runs.slice(5).map(({ rows }) => rows.length))).toBeGreaterThanOrEqual(10);
    const at = fakes.service.sent.map((sent) => sent.at);
    expect(Math.max(...at) - Math.min(...at)).toBeLessThan(15 * second);
    expect(fakes.rowsInFlight.get('lane-0000')?.most).toBe(20);
  });

  it('are not requested again and again while issuances are slow', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: 4 * minute }] } });
    const lane = await rig().startLane({ rows: 30, share: 10 });
    await rig().until(() => fakes.service.places.length === 20, 30 * second);
    const runs = runsOf(fakes).length;
    await rig().pass(2 * minute);
    expect(runsOf(fakes).length - runs).toBeLessThanOrEqual(1);
    expect(await lane.result()).toEqual({ counts: counted({ issued: 30 }) });
  });
});
