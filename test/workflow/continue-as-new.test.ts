import {
  decodeFromPayloadsAtIndex,
  loadDataConverter,
} from '@temporalio/common/lib/internal-non-workflow';
import type { CertificateLaneInput } from '../../src/workflows/certificates/certificate-lane';
import {
  ascending,
  counted,
  dataConverter,
  minute,
  placesUpTo,
  second,
  workflowSuite,
  type LaneHandle,
} from '../support/workflow-environment';

workflowSuite('a lane that continues as new', (rig) => {
  const runsOf = (lane: LaneHandle) => rig().histories(lane.workflowId, lane.firstExecutionRunId);

  it('does so in mid-flight: what is outstanding goes to the next run with its due times', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: 3 * minute }] } });
    const lane = await rig().startLane({ rows: 5, eventsLimit: 40 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 5 }) });
    const [first] = await runsOf(lane);
    const handedOver = first?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.input;
    const { carried } = await decodeFromPayloadsAtIndex<CertificateLaneInput>(
      loadDataConverter(dataConverter),
      0,
      handedOver?.payloads,
    );
    expect(carried.outstanding.map(([rowIndex, id]) => [rowIndex, id])).toEqual(
      placesUpTo(5).map((rowIndex) => [rowIndex, `c-${rowIndex}-1`]),
    );
    for (const [, , requestedAt, dueAt] of carried.outstanding) {
      expect(dueAt - requestedAt).toBeGreaterThan(5 * second);
    }
    expect(fakes.service.places).toEqual(placesUpTo(5));
  });

  it('loses no row and asks for none twice', async () => {
    const scripts = Object.fromEntries(
      placesUpTo(40).map((rowIndex) => [
        rowIndex,
        { endings: [{ as: 'issued', afterMs: (rowIndex % 7) * 2 * second } as const] },
      ]),
    );
    const fakes = rig().fakes(
      {
        ...scripts,
        11: { answers: ['unknown'] },
        23: { endings: [{ as: 'retryable', afterMs: second, againAfterMs: 20 * second }] },
        31: { answers: [{ lost: 'accepted' }] },
      },
      { requestMs: 20 },
    );
    const lane = await rig().startLane({ rows: 40, share: 15, eventsLimit: 40 });
    expect(await lane.result()).toEqual({
      counts: counted({ issued: 38, unknown: 1, failed: 1 }),
    });
    expect((await runsOf(lane)).length).toBeGreaterThan(3);
    const once = fakes.service.places.filter((rowIndex) => rowIndex !== 23);
    expect(once.sort(ascending)).toEqual(placesUpTo(40).filter((rowIndex) => rowIndex !== 23));
    expect(fakes.service.sentFor(23)).toHaveLength(5);
    expect(fakes.rowsInFlight.get('lane-0000')?.most).toBeLessThanOrEqual(15);
    const names = fakes.callsOf('requestCertificates').map(({ input }) => input.chunk);
    expect(new Set(names).size).toBe(names.length);
    // The unknown row was carried to the last run, and looked at once before the end.
    expect(fakes.callsOf('rereadReceipts').map(({ input }) => input.rows)).toEqual([
      [[11, 1, 'normal']],
    ]);
  });

  it('keeps the rows of a watch that fails with its cancellation', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: minute }] } });
    fakes.cancelledWatch = 'fails';
    const lane = await rig().startLane({ rows: 25, share: 15, eventsLimit: 40 });
    await rig().until(() => fakes.callsOf('pollCertificates').length > 0);
    // Orders that change nothing, until there are so many events that it hands over, watch and all.
    for (let order = 0; order < 40; order += 1) await lane.signal('control', { share: 15 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 25 }) });
    const runs = await runsOf(lane);
    expect(runs.flat().some((event) => event.activityTaskCanceledEventAttributes)).toBe(true);
    expect(fakes.service.places.sort(ascending)).toEqual(placesUpTo(25));
  });

  it('does so inside a batch without the batch noticing', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: minute }] } });
    const batch = await rig().startBatch({
      rows: 40,
      laneRows: 20,
      concurrency: 20,
      laneEvents: 40,
    });
    await batch.result();
    expect(fakes.service.places.sort(ascending)).toEqual(placesUpTo(40));
    expect(fakes.rowsInFlight.get('all')?.most).toBeLessThanOrEqual(20);
  });
});
