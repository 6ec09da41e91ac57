import type { FakeActivities } from '../support/fake-activities';
import { oneAfterTheOther, runsOf } from '../support/issuances-in-turn';
import {
  ascending,
  counted,
  placesUpTo,
  second,
  workflowSuite,
} from '../support/workflow-environment';

const handedOn = (fakes: FakeActivities): number =>
  fakes.watchAnswers
    .flatMap((answer) => answer.handedOn)
    .reduce((sum, [, count]) => sum + count, 0);

workflowSuite('places that watches hand on to runs', (rig) => {
  it('let a run ask for more rows than it has places', async () => {
    const fakes = rig().fakes(oneAfterTheOther(60, 100));
    const lane = await rig().startLane({ rows: 60, share: 20 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 60 }) });
    const runs = runsOf(fakes);
    expect(runs.some(({ rows, slots }) => slots < rows.length)).toBe(true);
    expect(runs.every(({ rows, slots }) => slots <= rows.length)).toBe(true);
  });

  it('never bring more rows under way than the share of the lane', async () => {
    const fakes = rig().fakes(oneAfterTheOther(60, 100), { requestMs: 5 });
    const lane = await rig().startLane({ rows: 60, share: 17 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 60 }) });
    expect(handedOn(fakes)).toBeGreaterThan(0);
    expect(fakes.rowsInFlight.get('lane-0000')?.most).toBe(17);
    expect(fakes.service.places.toSorted(ascending)).toEqual(placesUpTo(60));
  });

  it('are told by the progress as what they are: no more outstanding than the share', async () => {
    const fakes = rig().fakes(oneAfterTheOther(100, 100));
    const lane = await rig().startLane({ rows: 100, share: 10 });
    await rig().until(() => handedOn(fakes) > 10, second);
    const { outstanding, requesting } = await rig().progressOf(lane.workflowId);
    expect(outstanding + requesting).toBeLessThanOrEqual(10);
  });
});
