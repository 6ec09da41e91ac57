import { ApplicationFailure } from '@temporalio/common';
import { batchProgressQuery, type BatchProgress } from '../../src/workflows/messages';
import {
  ascending,
  counted,
  placesUpTo,
  second,
  workflowSuite,
  type BatchHandle,
} from '../support/workflow-environment';

const progressOf = (batch: BatchHandle): Promise<BatchProgress> => batch.query(batchProgressQuery);

workflowSuite('the lanes of a batch of certificates', (rig) => {
  it('goes on without a lane that fails', async () => {
    const fakes = rig().fakes();
    const gone = ApplicationFailure.nonRetryable('the store does not hold it', 'Incomplete');
    const failSecondLane = ({ name }: { name: string }): void => {
      if (name === 'lane-0001') throw gone;
    };
    fakes.before.requestCertificates = failSecondLane;
    fakes.before.recoverRequests = failSecondLane;
    const batch = await rig().startBatch({ rows: 30, laneRows: 10 });
    await batch.result();
    expect(await progressOf(batch)).toMatchObject({
      stage: 'done',
      lanes: [
        { done: true, counts: counted({ issued: 10 }) },
        { done: true, counts: null },
        { done: true, counts: counted({ issued: 10 }) },
      ],
    });
    expect(fakes.callsOf('finalizeRows')).toHaveLength(1);
    expect(fakes.callsOf('finalizeRows')[0]?.input.failedLanes).toEqual([[10, 20]]);
  });

  it('opens at most eight lanes', async () => {
    const fakes = rig().fakes();
    const batch = await rig().startBatch({ rows: 60, laneRows: 5 });
    await batch.result();
    expect((await progressOf(batch)).lanes).toHaveLength(8);
    expect(fakes.service.places.sort(ascending)).toEqual(placesUpTo(60));
  });

  it('divides the rows in flight over its lanes, and hands on the share of one that ended', async () => {
    const slow = { endings: [{ as: 'issued', afterMs: 6 * second } as const] };
    const scripts = Object.fromEntries(placesUpTo(24).map((rowIndex) => [rowIndex + 12, slow]));
    const fakes = rig().fakes(scripts, { usual: { endings: [{ as: 'issued', afterMs: second }] } });
    const batch = await rig().startBatch({ rows: 36, laneRows: 12, concurrency: 10 });
    await batch.result();
    const most = (name: string) => fakes.rowsInFlight.get(name)?.most;
    // 4 + 3 + 3 rows; when the first lane has ended, 5 + 5.
    expect(['lane-0000', 'lane-0001', 'lane-0002'].map(most)).toEqual([4, 5, 5]);
    expect(most('all')).toBe(10);
    expect(fakes.service.places.sort(ascending)).toEqual(placesUpTo(36));
  });

  it('opens no more lanes than rows may be in flight', async () => {
    const usual = { endings: [{ as: 'issued', afterMs: second } as const] };
    const fakes = rig().fakes({}, { usual });
    const batch = await rig().startBatch({ rows: 12, laneRows: 3, concurrency: 2 });
    await batch.result();
    expect(fakes.rowsInFlight.get('all')?.most).toBe(2);
    expect(fakes.service.places.sort(ascending)).toEqual(placesUpTo(12));
  });
});
