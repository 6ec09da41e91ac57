import { counted, minute, workflowSuite } from '../support/workflow-environment';

workflowSuite('a row', (rig) => {
  it('with an unknown outcome is reported and not sent again', async () => {
    const fakes = rig().fakes({ 1: { answers: ['unknown', 'accept'] } });
    const lane = await rig().startLane({ rows: 3 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 2, unknown: 1 }) });
    expect(fakes.service.sentFor(1)).toHaveLength(1);
  });

  it('with an unknown outcome is sent once more under `reissue`', async () => {
    const fakes = rig().fakes({ 1: { answers: ['unknown', 'accept'] } });
    const lane = await rig().startLane({ rows: 3, terms: { onUnknown: 'reissue' } });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 3 }) });
    expect(fakes.service.sentFor(1)).toMatchObject([
      { attempts: 0, mode: 'normal' },
      { attempts: 1, mode: 'reissue' },
    ]);
  });

  it('that stays unknown under `reissue` is sent only that once more', async () => {
    const fakes = rig().fakes({ 1: { answers: ['unknown'] } });
    const lane = await rig().startLane({ rows: 3, terms: { onUnknown: 'reissue' } });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 2, unknown: 1 }) });
    expect(fakes.service.sentFor(1)).toHaveLength(2);
  });

  it('that is unknown in another work is not sent, not even under `reissue`', async () => {
    const fakes = rig().fakes({ 1: { answers: ['unknown elsewhere'] } });
    const lane = await rig().startLane({ rows: 3, terms: { onUnknown: 'reissue' } });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 2, unknown: 1 }) });
    expect(fakes.service.places).toEqual([0, 2]);
    expect(fakes.callsOf('requestCertificates')).toHaveLength(1);
  });

  it('that the service failed for now goes again, not before the instant named', async () => {
    const away = { as: 'retryable', afterMs: 500, againAfterMs: 5 * minute } as const;
    const fakes = rig().fakes({ 0: { endings: [away, { as: 'issued', afterMs: 0 }] } });
    const lane = await rig().startLane({ rows: 2 });
    await rig().until(() => fakes.watchAnswers.flatMap(({ settled }) => settled).length === 2);
    await rig().pass(1_000);
    expect(await rig().progressOf(lane.workflowId)).toMatchObject({
      again: 1,
      waiting: { reason: 'retry' },
      counts: counted({ issued: 1 }),
    });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 2 }) });
    const [first, second, ...others] = fakes.service.sentFor(0);
    expect(others).toEqual([]);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(5 * minute + 500);
    expect(second).toMatchObject({ attempts: 1, mode: 'normal' });
  });

  it('has five issuances at most', async () => {
    const away = { as: 'retryable', afterMs: 500, againAfterMs: minute } as const;
    const fakes = rig().fakes({ 0: { endings: [away] } });
    const lane = await rig().startLane({ rows: 2 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 1, failed: 1 }) });
    expect(fakes.service.sentFor(0).map(({ attempts }) => attempts)).toEqual([0, 1, 2, 3, 4]);
  });

  it('that fails for good or outlives its deadline is counted so and not sent again', async () => {
    const fakes = rig().fakes({
      0: { endings: [{ as: 'failed', afterMs: 500 }] },
      1: { endings: [{ as: 'never' }] },
    });
    const lane = await rig().startLane({ rows: 3, terms: { rowDeadlineMs: 20 * minute } });
    expect(await lane.result()).toEqual({
      counts: counted({ issued: 1, failed: 1, expired: 1 }),
    });
    expect(fakes.service.places).toEqual([0, 1, 2]);
  });

  it('whose receipt comes late is taken up before the lane ends', async () => {
    const slow = { endings: [{ as: 'issued', afterMs: 5 * minute } as const] };
    const fakes = rig().fakes({ 0: slow, 1: { answers: ['unknown'], late: 'accepted' } });
    const lane = await rig().startLane({ rows: 3 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 3 }) });
    const [reread, ...others] = fakes.callsOf('rereadReceipts');
    expect(others).toEqual([]);
    expect(reread?.input.rows).toEqual([[1, 1, 'normal']]);
    expect((reread?.at ?? 0) - (fakes.service.sentFor(0)[0]?.at ?? 0)).toBeGreaterThan(5 * minute);
    expect(fakes.service.sentFor(1)).toHaveLength(1);
  });

  it('that never left, as a late receipt shows, is sent after all', async () => {
    const fakes = rig().fakes({ 1: { answers: ['unknown', 'accept'], late: 'not_sent' } });
    const lane = await rig().startLane({ rows: 3 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 3 }) });
    expect(fakes.callsOf('rereadReceipts')).toHaveLength(1);
    expect(fakes.service.sentFor(1)).toHaveLength(2);
  });

  it('of a job that was cancelled while it could not be told is not sent, nor any behind it', async () => {
    const fakes = rig().fakes({ 1: { answers: [{ unsent: 'cancelled', waitMs: 0 }] } });
    const lane = await rig().startLane({ rows: 60 });
    const { counts } = await lane.result();
    const sent = fakes.service.places.length;
    expect(fakes.service.places).not.toContain(1);
    expect(counts).toEqual(counted({ issued: sent, cancelled: 60 - sent }));
    // Those that were under way beside it.
    expect(fakes.callsOf('requestCertificates').length).toBeLessThan(6);
  });

  it('of a job that was paused while it could not be told is sent when that is over', async () => {
    const paused = { unsent: 'paused', waitMs: 1_000 } as const;
    const fakes = rig().fakes({ 1: { answers: [paused, paused, 'accept'] } });
    const lane = await rig().startLane({ rows: 3 });
    await rig().until(() => fakes.callsOf('requestCertificates').length > 0);
    expect(await lane.result()).toEqual({ counts: counted({ issued: 3 }) });
    expect(fakes.service.sentFor(1)).toHaveLength(1);
  });

  it('that another work is sending is asked about again when its time is over', async () => {
    const elsewhere = { unsent: 'in_flight', waitMs: 40_000 } as const;
    const fakes = rig().fakes({ 0: { answers: [elsewhere, 'accept'] } });
    const lane = await rig().startLane({ rows: 2 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 2 }) });
    const [first, again] = fakes.callsOf('requestCertificates');
    expect((again?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(40_000);
    expect(fakes.service.sentFor(0)).toHaveLength(1);
  });
});
