import { batchProgressQuery } from '../../src/workflows/messages';
import { cancel, countsOf, pause, refusalOf, resume, settlesAfter } from '../support/batch-orders';
import {
  ascending,
  counted,
  hour,
  minute,
  placesUpTo,
  second,
  workflowSuite,
  type BatchHandle,
} from '../support/workflow-environment';

workflowSuite('an order to a batch', (rig) => {
  it('is refused when every row has its outcome', async () => {
    const fakes = rig().fakes();
    const refusals: string[] = [];
    fakes.before.finalizeRows = async () => {
      for (const order of [pause, resume, (one: BatchHandle) => cancel(one, true)]) {
        refusals.push(await refusalOf(order(batch)));
      }
    };
    const batch: BatchHandle = await rig().startBatch({ rows: 3 });
    await batch.result();
    expect(refusals).toEqual(Array(3).fill('every row has its outcome already'));
    await expect(pause(batch)).rejects.toThrow(/./);
  });

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
    await resume(batch);
    expect(await refusalOf(pause(batch))).toBe('it is being cancelled');
    await cancel(batch, true);
    await batch.result();
  });
});
