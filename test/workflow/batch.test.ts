import { batchProgressQuery, type BatchProgress } from '../../src/workflows/messages';
import {
  ascending,
  counted,
  minute,
  placesUpTo,
  second,
  workflowSuite,
  type BatchHandle,
} from '../support/workflow-environment';

const progressOf = (batch: BatchHandle): Promise<BatchProgress> => batch.query(batchProgressQuery);

workflowSuite('a batch of certificates', (rig) => {
  it('of no rows asks for nothing, not even for access', async () => {
    const fakes = rig().fakes();
    const batch = await rig().startBatch({ rows: 0 });
    await batch.result();
    expect(fakes.calls.map(({ activity }) => activity)).toEqual(['finalizeRows']);
  });

  it('asks for every row exactly once over several lanes, and counts how they ended', async () => {
    const fakes = rig().fakes({
      3: { answers: ['refuse'] },
      25: { endings: [{ as: 'failed', afterMs: second }] },
      44: { answers: ['unknown'] },
    });
    const batch = await rig().startBatch({ rows: 50, laneRows: 20 });
    expect(await batch.result()).toMatchObject({ batchId: batch.workflowId, edition: 0 });
    expect(fakes.service.places.sort(ascending)).toEqual(placesUpTo(50));
    expect(await progressOf(batch)).toMatchObject({
      stage: 'done',
      items: 50,
      lanes: [
        { items: 20, done: true, counts: counted({ issued: 19, failed: 1 }) },
        { items: 20, done: true, counts: counted({ issued: 19, failed: 1 }) },
        { items: 10, done: true, counts: counted({ issued: 9, unknown: 1 }) },
      ],
    });
    expect(fakes.callsOf('finalizeRows').map(({ input }) => input)).toMatchObject([
      { folder: `works/${batch.workflowId}`, jobId: batch.workflowId, edition: 0 },
    ]);
  });

  it('waits, and shows it, until the token is taken; only then is anything asked for', async () => {
    const fakes = rig().fakes();
    fakes.access.push('credentials', 'unreachable', 'credentials');
    const batch = await rig().startBatch({ rows: 5 });
    const proofs = () => fakes.callsOf('proveAccess');
    const reasons: unknown[] = [];
    for (const tries of [1, 2, 3]) {
      await rig().until(() => proofs().length === tries);
      await rig().until(async () => (await progressOf(batch)).waiting !== null);
      const { stage, waiting } = await progressOf(batch);
      expect(stage).toBe('proving access');
      reasons.push(waiting?.reason);
    }
    expect(reasons).toEqual(['credentials', 'service', 'credentials']);
    expect(fakes.callsOf('requestCertificates')).toEqual([]);
    await batch.result();
    expect(proofs()).toHaveLength(4);
    expect(await progressOf(batch)).toMatchObject({ waiting: null, stage: 'done' });
    expect(fakes.service.places).toEqual(placesUpTo(5));
  });

  it('asks for nothing more after its deadline, and brings home what is outstanding', async () => {
    const ending = { as: 'issued', afterMs: 3 * minute } as const;
    const fakes = rig().fakes({}, { usual: { endings: [ending] } });
    const requestUntil = (await rig().now()) + minute;
    const batch = await rig().startBatch({ rows: 30, concurrency: 10, terms: { requestUntil } });
    await batch.result();
    expect((await progressOf(batch)).lanes).toMatchObject([
      { counts: counted({ issued: 10, cancelled: 20 }) },
    ]);
    expect(fakes.service.places).toHaveLength(10);
    expect(fakes.callsOf('finalizeRows')[0]?.input.neverSent).toContain('deadline');
  });

  it('answers what is asked about it, and its lanes too, from the first moment to the last', async () => {
    const fakes = rig().fakes(
      { 2: { answers: [{ lost: 'unknown' }] } },
      { usual: { endings: [{ as: 'issued', afterMs: 8 * second }] }, requestMs: 500 },
    );
    fakes.access.push('unreachable');
    const stages = new Set<string>();
    const batch = await rig().startBatch({ rows: 12, laneRows: 6 });
    // Asked from outside only: the test server loses queries that an activity of the workflow waits for.
    await rig().until(async () => {
      const { stage, lanes } = await progressOf(batch);
      stages.add(stage);
      for (const { id } of lanes) expect((await rig().progressOf(id)).total).toBe(6);
      return stage === 'done';
    }, second);
    expect([...stages]).toEqual(expect.arrayContaining(['proving access', 'issuing', 'done']));
    expect(fakes.callsOf('rereadReceipts')).toHaveLength(1);
  });
});
