import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  batchProgressQuery,
  cancelUpdate,
  pauseUpdate,
  resumeUpdate,
} from '../../src/workflows/messages';
import {
  counted,
  hour,
  minute,
  placesUpTo,
  ascending,
  second,
  workflowSuite,
  type BatchHandle,
} from '../support/workflow-environment';

const pause = (batch: BatchHandle): Promise<string> => batch.executeUpdate(pauseUpdate);
const resume = (batch: BatchHandle): Promise<string> => batch.executeUpdate(resumeUpdate);
const cancel = (batch: BatchHandle, now: boolean): Promise<string> =>
  batch.executeUpdate(cancelUpdate, { args: [{ now }] });

/** @returns why an update was refused */
async function refusalOf(update: Promise<string>): Promise<string> {
  const error: unknown = await update.then(
    (answer) => new Error(`it was not refused: ${answer}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof WorkflowUpdateFailedError)) throw error;
  expect(error.cause).toBeInstanceOf(ApplicationFailure);
  return error.cause?.message ?? '';
}

workflowSuite('an order to a batch', (rig) => {
  const settlesAfter = (ms: number) => ({
    usual: { endings: [{ as: 'issued', afterMs: ms } as const] },
    requestMs: 20,
  });
  const countsOf = async (batch: BatchHandle) =>
    (await batch.query(batchProgressQuery)).lanes.map(({ counts }) => counts);

  it('to pause stops new runs and brings home what is out; to resume goes on', async () => {
    const fakes = rig().fakes({}, settlesAfter(2 * second));
    const batch: BatchHandle = await rig().startBatch({ rows: 60, concurrency: 20 });
    const runs = () => fakes.callsOf('requestCertificates').length;
    await rig().until(() => runs() > 0, 10);
    expect(await pause(batch)).toContain('paused');
    await rig().pass(second / 2);
    const runsAtPause = runs();
    await rig().pass(hour);
    expect(runs()).toBe(runsAtPause);
    expect(await rig().progressOf(`${batch.workflowId}/lane-0000`)).toMatchObject({
      paused: true,
      waiting: { reason: 'paused' },
      outstanding: 0,
      requesting: 0,
      counts: counted({ issued: fakes.service.places.length }),
    });
    expect(await batch.query(batchProgressQuery)).toMatchObject({ paused: true });
    expect(await resume(batch)).toBe('resumed');
    await batch.result();
    expect(await countsOf(batch)).toEqual([counted({ issued: 60 })]);
    expect(fakes.service.places.sort(ascending)).toEqual(placesUpTo(60));
  });

  it('to pause reaches lanes that are opened after it', async () => {
    const fakes = rig().fakes();
    fakes.before.proveAccess = async () => void (await pause(batch));
    const batch: BatchHandle = await rig().startBatch({ rows: 30, laneRows: 10 });
    await rig().pass(10 * minute);
    expect((await batch.query(batchProgressQuery)).lanes).toHaveLength(3);
    expect(fakes.callsOf('requestCertificates')).toEqual([]);
    await resume(batch);
    await batch.result();
    expect(fakes.service.places.sort(ascending)).toEqual(placesUpTo(30));
  });

  it('to go on is taken by a lane that waits for a person', async () => {
    const fakes = rig().fakes();
    fakes.service.shut = { unsent: 'not_sent' };
    const batch: BatchHandle = await rig().startBatch({ rows: 1 });
    await rig().until(() => fakes.callsOf('requestCertificates').length === 20, 5 * minute);
    await rig().pass(hour);
    const { waiting } = await rig().progressOf(`${batch.workflowId}/lane-0000`);
    expect(waiting?.reason).toBe('decision');
    fakes.service.shut = null;
    expect(await resume(batch)).toMatch(/^it was not paused/);
    await batch.result();
    expect(await countsOf(batch)).toEqual([counted({ issued: 1 })]);
  });

  it('is refused with a reason when it makes no sense', async () => {
    rig().fakes({}, settlesAfter(2 * minute));
    const batch: BatchHandle = await rig().startBatch({ rows: 30, concurrency: 10 });
    await rig().pass(second);
    await pause(batch);
    expect(await refusalOf(pause(batch))).toBe('it is paused already');
    await cancel(batch, false);
    expect(await refusalOf(cancel(batch, false))).toBe('it is being cancelled already');
    await resume(batch);
    expect(await refusalOf(pause(batch))).toBe('it is being cancelled');
    // More urgently than before is no repetition.
    await cancel(batch, true);
    expect(await refusalOf(cancel(batch, true))).toBe('it is being cancelled already');
    await batch.result();
  });

  it('is refused when every row has its outcome', async () => {
    const fakes = rig().fakes();
    const refusals: string[] = [];
    fakes.before.mergeWork = async () => {
      for (const order of [pause, resume, (one: BatchHandle) => cancel(one, true)]) {
        refusals.push(await refusalOf(order(batch)));
      }
    };
    const batch: BatchHandle = await rig().startBatch({ rows: 3 });
    await batch.result();
    expect(refusals).toEqual(Array(3).fill('every row has its outcome already'));
    await expect(pause(batch)).rejects.toThrow(/./);
  });

  it('to cancel asks for nothing more and brings home what is out', async () => {
    const fakes = rig().fakes({}, settlesAfter(2 * minute));
    const batch: BatchHandle = await rig().startBatch({ rows: 40, laneRows: 20, concurrency: 20 });
    await rig().pass(10 * second);
    expect(await cancel(batch, false)).toContain('cancelling');
    await batch.result();
    const half = counted({ issued: 10, cancelled: 10 });
    expect(await countsOf(batch)).toEqual([half, half]);
    expect(fakes.service.places).toHaveLength(20);
    expect(fakes.callsOf('leaveOutstanding')).toEqual([]);
    expect(fakes.callsOf('mergeWork')[0]?.input.neverSent).toContain('cancelled');
  });

  it('to cancel before access is proven asks for nothing at all', async () => {
    const fakes = rig().fakes();
    fakes.access.push(...Array<'credentials'>(50).fill('credentials'));
    const batch: BatchHandle = await rig().startBatch({ rows: 5 });
    await rig().pass(minute);
    await cancel(batch, false);
    await batch.result();
    expect(await countsOf(batch)).toEqual([counted({ cancelled: 5 })]);
    expect(fakes.service.places).toEqual([]);
  });

  it('to cancel at once shuts the doors of runs in flight and leaves what is out', async () => {
    const fakes = rig().fakes({}, { ...settlesAfter(2 * minute), requestMs: 0 });
    let doors = 0;
    fakes.before.requestCertificates = async () => {
      if (fakes.callsOf('requestCertificates').length !== 2) return;
      await cancel(batch, true);
      await rig().until(() => fakes.callsOf('recoverRequests').length > 0, 10);
      doors = fakes.service.places.length;
    };
    const batch: BatchHandle = await rig().startBatch({ rows: 40, concurrency: 20 });
    await batch.result();
    const runs = fakes
      .callsOf('requestCertificates')
      .map(({ input: { places: _places, ...input } }) => input);
    const recovered = fakes.callsOf('recoverRequests').map(({ input }) => input);
    expect(runs).toHaveLength(2);
    // The first may have ended before the order came.
    expect(recovered).toContainEqual(runs[1]);
    for (const input of recovered) expect(runs).toContainEqual(input);
    expect(doors).toBeLessThanOrEqual(10);
    const left = fakes.callsOf('leaveOutstanding').flatMap(({ input }) => input.rows);
    expect(left.map(([place]) => place).sort(ascending)).toEqual(placesUpTo(20));
    expect(await countsOf(batch)).toEqual([counted({ cancelled: 40 })]);
  });

  it('to cancel at once ends a batch soon, whatever is out', async () => {
    const fakes = rig().fakes({}, settlesAfter(10 * hour));
    const batch: BatchHandle = await rig().startBatch({ rows: 10 });
    await rig().pass(10 * minute);
    await cancel(batch, true);
    const orderedAt = await rig().now();
    await rig().until(() => fakes.callsOf('mergeWork').length > 0, second);
    expect((await rig().now()) - orderedAt).toBeLessThan(minute);
    await batch.result();
    expect(fakes.callsOf('leaveOutstanding')[0]?.input.rows).toHaveLength(10);
  });

  it('to cancel at once leaves what a late receipt brings, too', async () => {
    const slow = { endings: [{ as: 'issued', afterMs: hour } as const] };
    const fakes = rig().fakes({ 0: slow, 1: { answers: ['unknown'], late: 'accepted' } });
    const lane = await rig().startLane({ rows: 2 });
    await rig().pass(minute);
    await lane.signal('control', { cancel: 'now' });
    expect(await lane.result()).toEqual({ counts: counted({ cancelled: 2 }) });
    const left = fakes.callsOf('leaveOutstanding').map(({ input }) => input.rows.map(([at]) => at));
    expect(left).toEqual([[0], [1]]);
  });

  it('given by the tools of the engine means: ask for nothing more, bring home what is out', async () => {
    const fakes = rig().fakes({}, settlesAfter(2 * minute));
    const batch: BatchHandle = await rig().startBatch({ rows: 30, concurrency: 10 });
    await rig().pass(10 * second);
    await batch.cancel();
    await batch.result();
    expect(await countsOf(batch)).toEqual([counted({ issued: 10, cancelled: 20 })]);
    expect(fakes.callsOf('mergeWork')[0]?.input.neverSent).toContain('cancelled');
  });

  it('given by the tools of the engine to a lane means the same', async () => {
    rig().fakes({}, settlesAfter(2 * minute));
    const lane = await rig().startLane({ rows: 30, share: 10 });
    await rig().pass(10 * second);
    await lane.cancel();
    expect(await lane.result()).toEqual({ counts: counted({ issued: 10, cancelled: 20 }) });
  });
});
