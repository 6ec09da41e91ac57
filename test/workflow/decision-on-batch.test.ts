import { batchProgressQuery } from '../../src/workflows/messages';
import { ascending, counted, placesUpTo, workflowSuite } from '../support/workflow-environment';

workflowSuite('a decision on an ended batch', (rig) => {
  it('that leaves nothing to do is merged all the same', async () => {
    const fakes = rig().fakes();
    const resolve = await rig().startResolve(1);
    await resolve.result();
    expect(fakes.calls.map(({ activity }) => activity)).toEqual([
      'carryOutDecision',
      'finalizeRows',
    ]);
  });

  it('is carried out, driven under names of its own, and merged as the next edition', async () => {
    const fakes = rig().fakes();
    fakes.decided = 7;
    const resolve = await rig().startResolve(3);
    expect(await resolve.result()).toMatchObject({ batchId: 'batch-decided-on', edition: 3 });
    const [decision, ...others] = fakes.calls.filter(
      ({ activity }) => !['requestCertificates', 'pollCertificates'].includes(activity),
    );
    const folder = 'works/batch-decided-on';
    expect(decision).toMatchObject({ activity: 'carryOutDecision', input: { folder, number: 3 } });
    expect(others.map(({ activity }) => activity)).toEqual(['proveAccess', 'finalizeRows']);
    expect(others.at(-1)?.input).toMatchObject({ folder, jobId: 'batch-decided-on', edition: 3 });
    for (const { input } of fakes.callsOf('requestCertificates')) {
      expect(input).toMatchObject({
        name: 'decision-3-lane-0000',
        list: { folder: `${folder}/decisions/3`, outcomesIn: folder, items: 7 },
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
});
