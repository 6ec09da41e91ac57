import { cancel, countsOf, settlesAfter } from '../support/batch-orders';
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
    expect(fakes.callsOf('finalizeRows')[0]?.input.neverSent).toContain('cancelled');
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
    const batch: BatchHandle = await rig().startBatch({ rows: 120, concurrency: 60 });
    await batch.result();
    const runs = fakes
      .callsOf('requestCertificates')
      .map(({ input: { slots: _places, sendBy: _sendBy, ...input } }) => input);
    const recovered = fakes.callsOf('recoverRequests').map(({ input }) => input);
    expect(runs).toHaveLength(3);
    // The first may have ended before the order came.
    expect(recovered).toContainEqual(runs[1]);
    for (const input of recovered) expect(runs).toContainEqual(input);
    expect(doors).toBeLessThanOrEqual(40);
    const left = fakes.callsOf('leaveOutstanding').flatMap(({ input }) => input.rows);
    expect(left.map(([rowIndex]) => rowIndex).sort(ascending)).toEqual(placesUpTo(60));
    expect(await countsOf(batch)).toEqual([counted({ cancelled: 120 })]);
  });

  it('to cancel at once ends a batch soon, whatever is out', async () => {
    const fakes = rig().fakes({}, settlesAfter(10 * hour));
    const batch: BatchHandle = await rig().startBatch({ rows: 10 });
    await rig().pass(10 * minute);
    await cancel(batch, true);
    const orderedAt = await rig().now();
    await rig().until(() => fakes.callsOf('finalizeRows').length > 0, second);
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
    expect(fakes.callsOf('finalizeRows')[0]?.input.neverSent).toContain('cancelled');
  });

  it('given by the tools of the engine to a lane means the same', async () => {
    rig().fakes({}, settlesAfter(2 * minute));
    const lane = await rig().startLane({ rows: 30, share: 10 });
    await rig().pass(10 * second);
    await lane.cancel();
    expect(await lane.result()).toEqual({ counts: counted({ issued: 10, cancelled: 20 }) });
  });
});
