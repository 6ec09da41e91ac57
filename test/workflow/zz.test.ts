import { minute, placesUpTo, second, workflowSuite } from '../support/workflow-environment';
workflowSuite('scratch', (rig) => {
  afterEach(async () => {
    const t = Date.now();
    await rig().pass(2000);
    process.stderr.write(`${expect.getState().currentTestName}: clock ${Date.now() - t > 1000 ? 'LOCKED' : 'free'}\n`);
  });
  const many = (n: number) => Object.fromEntries(placesUpTo(80).map((place) => [place, { endings: [{ as: 'issued', afterMs: (place % 7) * n } as const] }]));
  it('plain no can', async () => {
    rig().fakes(many(4000), { requestMs: 20 });
    const lane = await rig().startLane({ rows: 80, share: 15 });
    await lane.result();
  });
  it('retryable no can', async () => {
    rig().fakes({23: { endings: [{ as: 'retryable', afterMs: second, againAfterMs: minute }] }}, { requestMs: 20 });
    const lane = await rig().startLane({ rows: 30, share: 15 });
    await lane.result();
  });
  it('can one watch', async () => {
    rig().fakes({}, {usual: { endings: [{as:'issued', afterMs: 10*minute}]}});
    const lane = await rig().startLane({ rows: 1, share: 15, eventsLimit: 30 });
    await lane.result();
  });
  it('can many', async () => {
    rig().fakes(many(4000), { requestMs: 20 });
    const lane = await rig().startLane({ rows: 80, share: 15, eventsLimit: 40 });
    await lane.result();
    const hs = await rig().histories(lane.workflowId, lane.firstExecutionRunId);
    process.stderr.write(hs.length + ' runs ' + hs.flat().filter((e) => e.activityTaskCancelRequestedEventAttributes).length + ' cancel requests\n');
  });
});
