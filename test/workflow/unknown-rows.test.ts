import { cancel, countsOf, resume } from '../support/batch-orders';
import { counted, hour, workflowSuite, type BatchHandle } from '../support/workflow-environment';

const rows = 120;
const lanes = 4;
const maxUnknown = 10;
/** Of those in flight when the last one allowed is told: a run each of three, which ends at its first. */
const inFlight = 3 * lanes;

workflowSuite('rows that become unknown', (rig) => {
  it('stop all lanes of a batch when they are too many, until a person lets as many more be', async () => {
    // Fewer than would open the way of a lane to doubt.
    const lost = Object.fromEntries(
      Array.from({ length: rows / 5 }, (_, n) => [5 * n, { answers: ['unknown' as const] }]),
    );
    const fakes = rig().fakes(lost, { requestMs: 20 });
    const laneRows = rows / lanes;
    const batch: BatchHandle = await rig().startBatch({
      rows,
      laneRows,
      concurrency: 12,
      maxUnknown,
    });
    const unknown = () => fakes.service.places.filter((place) => place % 5 === 0).length;
    const waitingOf = async (lane: number) =>
      (await rig().progressOf(`${batch.workflowId}/lane-000${lane}`)).waiting?.reason;
    let before = 0;
    // Held with its last unknown row, it may still have rows behind that one.
    const allSent = () => fakes.service.places.length === rows;
    for (let resumes = 0; !allSent(); resumes += 1) {
      await rig().pass(hour);
      if (allSent()) break;
      const now = unknown();
      expect(now).toBeGreaterThanOrEqual(before + maxUnknown);
      expect(now).toBeLessThanOrEqual(before + maxUnknown + inFlight);
      if (resumes === 0) expect(await waitingOf(1)).toBe('unknown');
      before = now;
      expect(await resume(batch)).toBe(`resumed: until ${maxUnknown} more rows are unknown`);
    }
    expect(before).toBeGreaterThan(0);
    await batch.result();
    const ofLane = { issued: (rows / lanes / 5) * 4, unknown: rows / lanes / 5 };
    expect(await countsOf(batch)).toEqual(Array(lanes).fill(counted(ofLane)));
    expect(fakes.service.places).toHaveLength(rows);
  });

  it('stop a batch too when responses about issuances cannot be read', async () => {
    const endings = [{ as: 'unreadable', afterMs: 1_000 } as const];
    const fakes = rig().fakes({}, { usual: { endings } });
    const batch = await rig().startBatch({ rows, concurrency: 12, maxUnknown });
    await rig().pass(hour);
    expect(fakes.service.places.length).toBeGreaterThanOrEqual(maxUnknown);
    expect(fakes.service.places.length).toBeLessThanOrEqual(maxUnknown + 24);
    await cancel(batch, false);
    await batch.result();
  });

  it('elsewhere, in another job, stop nothing', async () => {
    const fakes = rig().fakes({}, { usual: { answers: ['unknown elsewhere'] } });
    const lane = await rig().startLane({ rows: 40 });
    expect(await lane.result()).toEqual({ counts: counted({ unknown: 40 }) });
    expect(fakes.service.places).toEqual([]);
  });
});
