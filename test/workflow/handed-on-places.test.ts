import {
  ascending,
  counted,
  minute,
  placesUpTo,
  second,
  workflowSuite,
} from '../support/workflow-environment';
import type { FakeActivities } from '../support/fake-activities';

/** Issuances that end one after the other, as they do once a batch is well under way. */
const oneAfterTheOther = (rows: number, apartMs: number) =>
  Object.fromEntries(
    placesUpTo(rows).map((place) => [
      place,
      { endings: [{ as: 'issued', afterMs: second + (place % 10) * apartMs } as const] },
    ]),
  );
const runsOf = (fakes: FakeActivities) =>
  fakes.callsOf('requestCertificates').map(({ input }) => input);
const handedOn = (fakes: FakeActivities): number =>
  fakes.watchAnswers
    .flatMap((answer) => answer.handedOn)
    .reduce((sum, [, count]) => sum + count, 0);

workflowSuite('places that watches hand on to runs', (rig) => {
  it('never bring more rows under way than the share of the lane', async () => {
    const fakes = rig().fakes(oneAfterTheOther(120, 100), { requestMs: 5 });
    const lane = await rig().startLane({ rows: 120, share: 17 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 120 }) });
    expect(handedOn(fakes)).toBeGreaterThan(0);
    expect(fakes.rowsInFlight.get('lane-0000')?.most).toBe(17);
    expect(fakes.service.places.toSorted(ascending)).toEqual(placesUpTo(120));
  });

  it('let a run ask for more rows than it has places', async () => {
    const fakes = rig().fakes(oneAfterTheOther(120, 100));
    const lane = await rig().startLane({ rows: 120, share: 20 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 120 }) });
    const runs = runsOf(fakes);
    expect(runs.some(({ rows, places }) => places < rows.length)).toBe(true);
    expect(runs.every(({ rows, places }) => places <= rows.length)).toBe(true);
  });

  it('are not waited for by a run while no row is outstanding', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: minute }] } });
    const lane = await rig().startLane({ rows: 8, share: 4 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 8 }) });
    expect(runsOf(fakes)[0]).toMatchObject({ rows: { length: 4 }, places: 4 });
  });

  it('cost nothing when runs and watches are at different workers', async () => {
    const fakes = rig().fakes(oneAfterTheOther(60, 100));
    fakes.handsOn = false;
    const lane = await rig().startLane({ rows: 60, share: 20 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 60 }) });
    const runs = runsOf(fakes);
    expect(runs.every(({ places }) => places > 0)).toBe(true);
    // What found no place goes again at once, in runs as large as before.
    expect(runs.some(({ rows, places }) => places < rows.length)).toBe(true);
    expect(Math.max(...runs.slice(5).map(({ rows }) => rows.length))).toBe(10);
    const at = fakes.service.sent.map((sent) => sent.at);
    expect(Math.max(...at) - Math.min(...at)).toBeLessThan(15 * second);
    expect(fakes.rowsInFlight.get('lane-0000')?.most).toBe(20);
  });

  it('are not asked for again and again while issuances are slow', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: 4 * minute }] } });
    const lane = await rig().startLane({ rows: 40, share: 10 });
    await rig().until(() => fakes.service.places.length === 20, 10 * second);
    const runs = runsOf(fakes).length;
    await rig().pass(2 * minute);
    expect(runsOf(fakes).length - runs).toBeLessThanOrEqual(1);
    expect(await lane.result()).toEqual({ counts: counted({ issued: 40 }) });
  });

  it('are told by the progress as what they are: no more outstanding than the share', async () => {
    const fakes = rig().fakes(oneAfterTheOther(100, 100));
    const lane = await rig().startLane({ rows: 100, share: 10 });
    await rig().until(() => handedOn(fakes) > 10, second);
    const { outstanding, requesting } = await rig().progressOf(lane.workflowId);
    expect(outstanding + requesting).toBeLessThanOrEqual(10);
    await lane.result();
  });
});
