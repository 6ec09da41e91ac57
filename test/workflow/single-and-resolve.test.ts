import { batchProgressQuery, cancelUpdate, resumeUpdate } from '../../src/workflows/messages';
import {
  ascending,
  counted,
  hour,
  minute,
  placesUpTo,
  second,
  workflowSuite,
} from '../support/workflow-environment';

workflowSuite('a single certificate', (rig) => {
  it('goes the way of a batch: requested, watched, put together', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: minute }] } });
    const single = await rig().startSingle();
    expect(await single.result()).toMatchObject({ batchId: single.workflowId, edition: 0 });
    expect(new Set(fakes.calls.map(({ activity }) => activity))).toEqual(
      new Set(['requestCertificates', 'watchCertificates', 'mergeWork']),
    );
    expect(fakes.service.places).toEqual([0]);
    for (const { input } of fakes.callsOf('watchCertificates')) {
      expect(input).toMatchObject({ interactive: true, name: 'single' });
    }
    expect(await rig().progressOf(single.workflowId)).toMatchObject({
      total: 1,
      counts: counted({ issued: 1 }),
    });
  });

  it('is requested without waiting for more', async () => {
    const fakes = rig().fakes();
    const single = await rig().startSingle();
    const startedAt = await rig().now();
    await single.result();
    expect((fakes.callsOf('requestCertificates')[0]?.at ?? 0) - startedAt).toBeLessThan(200);
  });

  it('is left at the service when it is cancelled at once', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: hour }] } });
    const single = await rig().startSingle();
    await rig().pass(minute);
    const answer = await single.executeUpdate(cancelUpdate, { args: [{ now: true }] });
    expect(answer).toBe('cancelled at once');
    await single.result();
    expect(fakes.callsOf('leaveOutstanding')[0]?.input.rows[0]?.[1]).toBe('c-0-1');
    expect((await rig().progressOf(single.workflowId)).counts).toEqual(counted({ cancelled: 1 }));
  });

  it('that was turned away twenty times goes on when it is told to', async () => {
    const fakes = rig().fakes();
    fakes.service.shut = { unsent: 'not_sent' };
    const single = await rig().startSingle();
    await rig().until(() => fakes.callsOf('requestCertificates').length === 20, minute);
    await rig().pass(hour);
    expect((await rig().progressOf(single.workflowId)).waiting?.reason).toBe('decision');
    fakes.service.shut = null;
    expect(await single.executeUpdate(resumeUpdate)).toBe('resumed');
    await single.result();
    expect((await rig().progressOf(single.workflowId)).counts).toEqual(counted({ issued: 1 }));
  });

  it('that was never sent says so when it is cancelled, by whatever tool', async () => {
    for (const tool of ['ours', "the engine's"]) {
      const fakes = rig().fakes();
      fakes.service.shut = { unsent: 'credentials', waitMs: second };
      const single = await rig().startSingle();
      await rig().pass(minute);
      expect((await rig().progressOf(single.workflowId)).waiting?.reason).toBe('credentials');
      await (tool === 'ours'
        ? single.executeUpdate(cancelUpdate, { args: [{ now: false }] })
        : single.cancel());
      await single.result();
      expect(fakes.callsOf('mergeWork')[0]?.input.neverSent).toContain('cancelled');
    }
  });
});

workflowSuite('a decision on an ended batch', (rig) => {
  it('is carried out, driven under names of its own, and merged as the next edition', async () => {
    const fakes = rig().fakes();
    fakes.decided = 7;
    const resolve = await rig().startResolve(3);
    expect(await resolve.result()).toMatchObject({ batchId: 'batch-decided-on', edition: 3 });
    const [decision, ...others] = fakes.calls.filter(
      ({ activity }) => !['requestCertificates', 'watchCertificates'].includes(activity),
    );
    const folder = 'works/batch-decided-on';
    expect(decision).toMatchObject({ activity: 'carryOutDecision', input: { folder, number: 3 } });
    expect(others.map(({ activity }) => activity)).toEqual(['proveAccess', 'mergeWork']);
    expect(others.at(-1)?.input).toMatchObject({ folder, workId: 'batch-decided-on', edition: 3 });
    for (const { input } of fakes.callsOf('requestCertificates')) {
      expect(input).toMatchObject({
        name: 'decision-3-lane-0000',
        work: { folder: `${folder}/decisions/3`, filedIn: folder, items: 7 },
      });
    }
    expect(fakes.service.places.sort(ascending)).toEqual(placesUpTo(7));
    const { lanes } = await resolve.query(batchProgressQuery);
    expect(lanes).toMatchObject([
      { id: `${resolve.workflowId}/decision-3-lane-0000`, counts: counted({ issued: 7 }) },
    ]);
  });

  it('answers what is asked about it while it is put on record', async () => {
    const fakes = rig().fakes();
    let stage = '';
    fakes.before.carryOutDecision = async () => {
      stage = (await resolve.query(batchProgressQuery)).stage;
    };
    const resolve = await rig().startResolve(1);
    await resolve.result();
    expect(stage).toBe('proving access');
  });

  it('is put on record whatever is cancelled meanwhile; then nothing is asked for', async () => {
    const fakes = rig().fakes();
    fakes.decided = 3;
    fakes.before.carryOutDecision = () => resolve.cancel().then(() => {});
    const resolve = await rig().startResolve(1);
    expect(await resolve.result()).toMatchObject({ edition: 1 });
    expect(fakes.callsOf('carryOutDecision')).toHaveLength(1);
    expect(fakes.service.places).toEqual([]);
  });

  it('that leaves nothing to do is merged all the same', async () => {
    const fakes = rig().fakes();
    const resolve = await rig().startResolve(1);
    await resolve.result();
    expect(fakes.calls.map(({ activity }) => activity)).toEqual(['carryOutDecision', 'mergeWork']);
  });
});
