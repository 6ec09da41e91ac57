import { workflowSuite } from '../support/workflow-environment';

workflowSuite('a batch of certificates', (rig) => {
  it('asks for every row exactly once over several lanes', async () => {
    const fakes = rig().fakes();
    const batch = await rig().startBatch({ rows: 50, laneRows: 20 });
    await batch.result();
    expect(fakes.service.places.toSorted((a, b) => a - b)).toEqual([...Array(50).keys()]);
    console.log(fakes.calls.map((c) => [c.activity, c.at]));
  });
});
