import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { resumeUpdate } from '../../src/workflows/messages';
import {
  counted,
  hour,
  minute,
  second,
  workflowSuite,
  type WorkflowRig,
} from '../support/workflow-environment';

type Fields = Record<string, unknown>;

workflowSuite('what operators can search for', (rig) => {
  test('a work without trouble says how it ended, in one event', async () => {
    const fakes = rig().fakes();
    fakes.merged.issued = 4;
    fakes.merged.duplicate = 2;
    const batch = await rig().startBatch({ rows: 4 });
    await batch.result();
    expect(await toldBy(rig(), batch.workflowId, batch.firstExecutionRunId)).toEqual([
      { DiligenceOutcome: 'issued', DiligenceNeedsAttention: false },
    ]);
    const lane = rig().env.client.workflow.getHandle(`${batch.workflowId}/lane-0000`);
    const { runId } = await lane.describe();
    expect(await toldBy(rig(), lane.workflowId, runId)).toEqual([]);
  });

  test('a lane belongs to its batch from its start, in every run', async () => {
    rig().fakes();
    const batch = await rig().startBatch({ rows: 240, laneEvents: 40 });
    await batch.result();
    const events = (await batch.fetchHistory()).events ?? [];
    const started = events.find((event) => event.childWorkflowExecutionStartedEventAttributes);
    const runId =
      started?.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.runId ?? '';
    const runs = await rig().histories(`${batch.workflowId}/lane-0000`, runId);
    expect(runs.length).toBeGreaterThan(1);
    for (const [first] of runs) {
      const given = first?.workflowExecutionStartedEventAttributes?.searchAttributes;
      expect(plain(given?.indexedFields)).toEqual({
        DiligenceKind: 'certificate-lane',
        DiligenceBatch: batch.workflowId,
        DiligenceService: 'investigation',
        DiligenceNeedsAttention: false,
      });
    }
  });

  test('a work that ends with something to decide asks for a person, by the gravest row', async () => {
    const fakes = rig().fakes();
    Object.assign(fakes.merged, { issued: 900, failed: 7, unknown_outcome: 1 });
    const single = await rig().startSingle();
    await single.result();
    expect(await toldBy(rig(), single.workflowId, single.firstExecutionRunId)).toEqual([
      { DiligenceOutcome: 'unknown_outcome', DiligenceNeedsAttention: true },
    ]);
  });

  test('a batch asks for a person while its token is refused, not while the service is away', async () => {
    const fakes = rig().fakes();
    fakes.merged.cancelled = 5;
    fakes.access.push('credentials', 'credentials', 'unreachable', 'credentials');
    const batch = await rig().startBatch({ rows: 5 });
    await batch.result();
    const attention = (needed: boolean): Fields => ({ DiligenceNeedsAttention: needed });
    expect(await toldBy(rig(), batch.workflowId, batch.firstExecutionRunId)).toEqual([
      ...[true, false, true, false].map(attention),
      { DiligenceOutcome: 'cancelled', DiligenceNeedsAttention: false },
    ]);
  });

  test('a single issuance asks for a person while it waits for a decision', async () => {
    const fakes = rig().fakes();
    fakes.merged.issued = 1;
    fakes.service.shut = { unsent: 'not_sent' };
    const single = await rig().startSingle({ requestUntil: (await rig().now()) + 100 * hour });
    await rig().until(() => fakes.callsOf('requestCertificates').length === 20, minute);
    await rig().pass(hour);
    fakes.service.shut = null;
    await single.executeUpdate(resumeUpdate);
    await single.result();
    expect(await toldBy(rig(), single.workflowId, single.firstExecutionRunId)).toEqual([
      { DiligenceNeedsAttention: true },
      { DiligenceNeedsAttention: false },
      { DiligenceOutcome: 'issued', DiligenceNeedsAttention: false },
    ]);
  });

  test('a lane whose token is refused says so once, and once that it works again', async () => {
    const fakes = rig().fakes();
    fakes.service.shut = { unsent: 'credentials', waitMs: second };
    const lane = await rig().startLane({ rows: 30 });
    await rig().until(() => fakes.callsOf('requestCertificates').length >= 4);
    fakes.service.shut = null;
    expect(await lane.result()).toEqual({ counts: counted({ issued: 30 }) });
    expect(await toldBy(rig(), lane.workflowId, lane.firstExecutionRunId)).toEqual([
      { DiligenceNeedsAttention: true },
      { DiligenceNeedsAttention: false },
    ]);
  });
});

/** What a workflow said of itself while it ran, in order. */
async function toldBy(rig: WorkflowRig, workflowId: string, firstRunId: string): Promise<Fields[]> {
  const events = (await rig.histories(workflowId, firstRunId)).flat();
  return events.flatMap(({ upsertWorkflowSearchAttributesEventAttributes: told }) =>
    told == null ? [] : [plain(told.searchAttributes?.indexedFields)],
  );
}

function plain(fields: Record<string, Payload> | null | undefined): Fields {
  return Object.fromEntries(
    Object.entries(fields ?? {}).map(([name, payload]) => {
      const value: unknown = defaultPayloadConverter.fromPayload(payload);
      return [name, Array.isArray(value) ? (value as unknown[])[0] : value];
    }),
  );
}
