import { counted, minute, workflowSuite, type LaneHandle } from '../support/workflow-environment';

workflowSuite('what a lane was told, when it continues as new', (rig) => {
  const runsOf = (lane: LaneHandle) => rig().histories(lane.workflowId, lane.firstExecutionRunId);

  it('still waits for the person that its forerunner waited for', async () => {
    const fakes = rig().fakes();
    const row = { rowIndex: 0, attempts: 0, mode: 'normal', notBefore: 0, throttled: 20 } as const;
    const again = [{ ...row, was: 'new' as const }];
    const carried = { again, next: 1, throttledChunks: 20 };
    const lane = await rig().startLane({ rows: 3, carried });
    await rig().pass(10 * minute);
    expect(fakes.calls).toEqual([]);
    expect((await rig().progressOf(lane.workflowId)).waiting?.reason).toBe('decision');
    await lane.signal('control', { paused: false });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 3 }) });
  });

  it('stays paused', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: 3 * minute }] } });
    const lane = await rig().startLane({ rows: 20, share: 10, eventsLimit: 40 });
    await rig().until(() => fakes.service.places.length === 10);
    await lane.signal('control', { paused: true });
    await rig().pass(4 * minute);
    expect((await runsOf(lane)).length).toBeGreaterThan(1);
    expect(await rig().progressOf(lane.workflowId)).toMatchObject({
      paused: true,
      outstanding: 0,
      counts: counted({ issued: 10 }),
    });
    await rig().pass(2 * minute);
    expect(fakes.service.places).toHaveLength(10);
    await lane.signal('control', { paused: false });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 20 }) });
  });

  it('stays cancelled, and keeps the share it was given', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: 5 * minute }] } });
    const lane = await rig().startLane({ rows: 40, share: 10, eventsLimit: 40 });
    await rig().until(() => fakes.service.places.length === 10);
    await lane.signal('control', { share: 20 });
    await rig().until(() => fakes.service.places.length === 20);
    await lane.signal('control', { cancel: 'wait' });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 20, cancelled: 20 }) });
    expect((await runsOf(lane)).length).toBeGreaterThan(1);
    expect(fakes.rowsInFlight.get('lane-0000')?.most).toBe(20);
  });
});
