import { said } from '../support/batch-orders';
import { cancelUpdate, resumeUpdate } from '../../src/workflows/messages';
import { counted, hour, minute, second, workflowSuite } from '../support/workflow-environment';

workflowSuite('a single certificate', (rig) => {
  it('goes the way of a batch: requested, watched, put together', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: minute }] } });
    const single = await rig().startSingle();
    expect(await single.result()).toMatchObject({ batchId: single.workflowId, edition: 0 });
    expect(new Set(fakes.calls.map(({ activity }) => activity))).toEqual(
      new Set(['requestCertificates', 'pollCertificates', 'finalizeRows']),
    );
    expect(fakes.service.places).toEqual([0]);
    for (const { input } of fakes.callsOf('pollCertificates')) {
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
    const answer = said(await single.executeUpdate(cancelUpdate, { args: [{ now: true }] }));
    expect(answer).toBe('cancelled at once');
    await single.result();
    expect(fakes.callsOf('leaveOutstanding')[0]?.input.rows[0]?.[1]).toBe('c-0-1');
    expect((await rig().progressOf(single.workflowId)).counts).toEqual(counted({ cancelled: 1 }));
  });

  it('that was turned away twenty times goes on when it is told to', async () => {
    const fakes = rig().fakes();
    fakes.service.shut = { unsent: 'not_sent' };
    const single = await rig().startSingle();
    await rig().until(() => fakes.callsOf('requestCertificates').length === 20, 5 * minute);
    await rig().pass(hour);
    expect((await rig().progressOf(single.workflowId)).waiting?.reason).toBe('decision');
    fakes.service.shut = null;
    expect(said(await single.executeUpdate(resumeUpdate))).toBe('resumed');
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
      expect(fakes.callsOf('finalizeRows')[0]?.input.neverSent).toContain('cancelled');
    }
  });
});
