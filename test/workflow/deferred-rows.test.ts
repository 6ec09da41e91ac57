import { counted, hour, second, workflowSuite } from '../support/workflow-environment';
import type { FakeActivities } from '../support/fake-activities';

workflowSuite('a lane with more rows to ask again than it can carry', (rig) => {
  const away = { as: 'retryable', afterMs: second, againAfterMs: hour } as const;
  const rows = 1_200;

  /** All have been requested once, and wait. */
  async function untilAllWait(fakes: FakeActivities): Promise<void> {
    await rig().until(() => new Set(fakes.service.places).size === rows, second);
    await rig().pass(10 * second);
  }

  it('keeps them in the store until their time, and carries a thousand at most', async () => {
    const usual = { endings: [away, { as: 'issued', afterMs: 0 } as const] };
    const fakes = rig().fakes({}, { usual, pollMs: second });
    const lane = await rig().startLane({ rows, share: 500, eventsLimit: 600 });
    await untilAllWait(fakes);
    expect(rows - fakes.deferred.size).toBeLessThanOrEqual(1_000);
    expect((await rig().progressOf(lane.workflowId)).again).toBe(rows);
    expect(await lane.result()).toEqual({ counts: counted({ issued: rows }) });
    expect(fakes.service.places).toHaveLength(2 * rows);
    expect(fakes.callsOf('dropDeferredRows')).toHaveLength(1);
    expect(fakes.deferred.size).toBe(0);
  });
});
