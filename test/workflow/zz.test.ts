import { hour, workflowSuite } from '../support/workflow-environment';
workflowSuite('scratch', (rig) => {
  it('continues', async () => {
    const fakes = rig().fakes({}, { usual: { endings: [{ as: 'issued', afterMs: hour }] } });
    const lane = await rig().startLane({ rows: 5, eventsLimit: 30 });
    void lane.result().catch(() => {});
    await new Promise((r) => setTimeout(r, 5000));
    const hs = await rig().histories(lane.workflowId, lane.firstExecutionRunId);
    const out = hs.map((h) => h.map((e) => `${e.eventId} ${e.eventType} ${Object.keys(e).find((k) => k.endsWith('Attributes'))}`));
    process.stderr.write(JSON.stringify(out.slice(0,3), null, 1) + hs.length + '\n');
    process.stderr.write(JSON.stringify(fakes.calls.map((c) => [c.activity, c.at])) + '\n');
  }, 20000);
});
