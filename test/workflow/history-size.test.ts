import { counted, second, workflowSuite, type LaneHandle } from '../support/workflow-environment';

workflowSuite('the history of a lane', (rig) => {
  const eventsOf = async ({ workflowId, firstExecutionRunId }: LaneHandle): Promise<number> =>
    (await rig().histories(workflowId, firstExecutionRunId)).flat().length;

  it('grows by at most three events a row when the service is quick', async () => {
    rig().fakes();
    const lane = await rig().startLane({ rows: 200, share: 100 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 200 }) });
    expect(await eventsOf(lane)).toBeLessThanOrEqual(3 * 200);
  });

  it('does not grow with the number of reads', async () => {
    const events: number[] = [];
    const reads: number[] = [];
    for (const pollMs of [2_000, 100]) {
      const usual = { endings: [{ as: 'issued', afterMs: 20 * second } as const] };
      const fakes = rig().fakes({}, { usual, pollMs });
      const lane = await rig().startLane({ rows: 10 });
      expect(await lane.result()).toEqual({ counts: counted({ issued: 10 }) });
      events.push(await eventsOf(lane));
      reads.push(fakes.reads);
    }
    const [fewReads = 0, manyReads = 0] = reads;
    const [afterFew = 0, afterMany = 0] = events;
    expect(manyReads).toBeGreaterThan(10 * fewReads);
    // One watch more or less, by a moment.
    expect(Math.abs(afterMany - afterFew)).toBeLessThanOrEqual(6);
  });
});
