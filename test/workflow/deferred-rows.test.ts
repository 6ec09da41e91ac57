import {
  decodeFromPayloadsAtIndex,
  loadDataConverter,
} from '@temporalio/common/lib/internal-non-workflow';
import type { CertificateLaneInput } from '../../src/workflows/certificates/certificate-lane';
import {
  counted,
  dataConverter,
  hour,
  second,
  workflowSuite,
} from '../support/workflow-environment';

workflowSuite('a lane with more rows to ask again than it can carry', (rig) => {
  const away = { as: 'retryable', afterMs: second, againAfterMs: hour } as const;

  it('keeps them in the store until their time, and carries a thousand at most', async () => {
    const usual = { endings: [away, { as: 'issued', afterMs: 0 } as const] };
    const fakes = rig().fakes({}, { usual, pollMs: second });
    const lane = await rig().startLane({ rows: 2_000, share: 500, eventsLimit: 500 });
    expect(await lane.result()).toEqual({ counts: counted({ issued: 2_000 }) });
    expect(fakes.callsOf('deferRows').length).toBeGreaterThan(1);
    expect(fakes.callsOf('dropDeferredRows')).toHaveLength(1);
    expect(fakes.deferred.size).toBe(0);
    const times = new Map<number, number[]>();
    for (const { at, input } of fakes.callsOf('requestCertificates')) {
      for (const [place] of input.rows) times.set(place, [...(times.get(place) ?? []), at]);
    }
    expect(times.size).toBe(2_000);
    expect(fakes.service.places).toHaveLength(4_000);
    for (const run of await rig().histories(lane.workflowId, lane.firstExecutionRunId)) {
      const handedOver = run.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.input;
      if (handedOver == null) continue;
      const { carried } = await decodeFromPayloadsAtIndex<CertificateLaneInput>(
        loadDataConverter(dataConverter),
        0,
        handedOver.payloads,
      );
      // Beside what a run has just brought back.
      expect(carried.again.length).toBeLessThanOrEqual(1_000 + 500);
    }
  }, 120_000);

  it('counts those that it has put aside as what they were when it is cancelled', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [away] }, pollMs: second });
    const lane = await rig().startLane({ rows: 1_300, share: 500 });
    const areAllSent = () => new Set(fakes.service.places).size === 1_300;
    await rig().until(() => fakes.deferred.size > 0 && areAllSent(), second);
    await rig().pass(5 * second);
    await lane.signal('control', { cancel: 'wait' });
    expect(await lane.result()).toEqual({ counts: counted({ failed: 1_300 }) });
  }, 120_000);
});
