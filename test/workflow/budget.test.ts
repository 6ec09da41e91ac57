import { batchProgressQuery } from '../../src/workflows/messages';
import { countsOf, resume } from '../support/batch-orders';
import type { HistoryEvents } from '../support/growing-histories';
import {
  counted,
  hour,
  workflowSuite,
  type BatchHandle,
  type WorkflowRig,
} from '../support/workflow-environment';

const rows = 120;
const lanes = 3;
const budget = 40;

/** Every run of every lane. */
async function runsOfLanes(rig: WorkflowRig, batch: BatchHandle): Promise<HistoryEvents[]> {
  const [own = []] = await rig.histories(batch.workflowId, batch.firstExecutionRunId);
  const runs = own.map(async (event) => {
    const lane = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution;
    return lane ? rig.histories(lane.workflowId ?? '', lane.runId ?? '') : [];
  });
  return (await Promise.all(runs)).flat();
}

workflowSuite('the budget of a batch', (rig) => {
  it('is never exceeded by its lanes together, is spent in full, and is renewed by resume', async () => {
    // In one lane most rows cost nothing: what it does not need is for the others.
    const reused = Array.from({ length: 35 }, (_, n) => [n, { answers: ['reuse' as const] }]);
    const fakes = rig().fakes(
      {
        ...Object.fromEntries(reused),
        50: { answers: [{ lost: 'accepted' }] },
        60: { answers: [{ lost: 'unknown' }] },
        70: { answers: [{ unsent: 'not_sent' }, 'accept'] },
        80: { answers: ['refuse'] },
        90: {
          endings: [
            { as: 'retryable', afterMs: 1_000, againAfterMs: 1_000 },
            { as: 'issued', afterMs: 0 },
          ],
        },
      },
      { requestMs: 20 },
    );
    const setup = { rows, laneRows: rows / lanes, laneEvents: 60, concurrency: 12, budget };
    const batch = await rig().startBatch(setup);
    // 85 rows cost something, and one of them twice.
    for (const made of [budget, 2 * budget]) {
      await rig().until(async () => {
        const { waiting } = await batch.query(batchProgressQuery);
        return waiting?.reason === 'budget';
      }, 1_000);
      await rig().pass(hour);
      expect(fakes.service.sent).toHaveLength(made);
      expect(await resume(batch)).toBe(`resumed: ${budget} more requests may be made`);
    }
    await batch.result();
    expect(fakes.service.sent).toHaveLength(86);
    expect(await countsOf(batch)).toEqual([
      counted({ issued: 40 }),
      counted({ issued: 39, unknown: 1 }),
      counted({ issued: 39, failed: 1 }),
    ]);
    const runs = await runsOfLanes(rig(), batch);
    expect(runs.length).toBeGreaterThan(2 * lanes);
    // The server drops what a run had still to tell the batch when it ended, and may hold its clock for ever.
    for (const run of runs) {
      const sent = run.filter(
        (event) => event.signalExternalWorkflowExecutionInitiatedEventAttributes,
      );
      const arrived = run.filter((event) => event.externalWorkflowExecutionSignaledEventAttributes);
      expect(arrived).toHaveLength(sent.length);
    }
  });

  it('that is not reached holds up nothing', async () => {
    const fakes = rig().fakes();
    const batch = await rig().startBatch({ rows: 30, laneRows: 10, budget: 30 });
    await batch.result();
    expect(fakes.service.sent).toHaveLength(30);
  });
});
