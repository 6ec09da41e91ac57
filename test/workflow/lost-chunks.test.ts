import {
  ascending,
  counted,
  placesUpTo,
  representativeSuite,
} from '../support/workflow-environment';

representativeSuite(
  'a run of requests that is lost',
  (rig) => {
    it('is looked into under its own name, and the answers found are used', async () => {
      const fakes = rig().fakes({ 4: { answers: [{ lost: 'accepted' }] } });
      const lane = await rig().startLane({ rows: 10 });
      expect(await lane.result()).toEqual({ counts: counted({ issued: 10 }) });
      const [lost, ...later] = fakes.callsOf('requestCertificates');
      const [recovery, ...others] = fakes.callsOf('recoverRequests');
      expect(lost?.input).toMatchObject({ ...recovery?.input, slots: 10 });
      expect(others).toEqual([]);
      // What was accepted in it is watched; only rows whose doors were still open go again.
      const watched = fakes.callsOf('pollCertificates').flatMap(({ input }) => input.rows);
      expect(new Set(watched.map(([rowIndex]) => rowIndex))).toEqual(new Set(placesUpTo(10)));
      const again = later.flatMap(({ input }) => input.rows.map(([rowIndex]) => rowIndex));
      expect(again.sort(ascending)).toEqual([5, 6, 7, 8, 9]);
      expect(fakes.service.places.sort(ascending)).toEqual(placesUpTo(10));
    });
  },
  (rig) => {
    it('leaves the row that it was sending as unknown when no receipt is found', async () => {
      const fakes = rig().fakes({ 4: { answers: [{ lost: 'unknown' }] } });
      const lane = await rig().startLane({ rows: 10 });
      expect(await lane.result()).toEqual({ counts: counted({ issued: 9, unknown: 1 }) });
      expect(fakes.service.places.sort(ascending)).toEqual(placesUpTo(10));
    });

    it('says nothing of the service: the next one follows at once', async () => {
      const fakes = rig().fakes({ 4: { answers: [{ lost: 'accepted' }] } });
      const lane = await rig().startLane({ rows: 20, share: 10 });
      expect(await lane.result()).toEqual({ counts: counted({ issued: 20 }) });
      const [, next] = fakes.callsOf('requestCertificates');
      expect(next?.input.rows).toHaveLength(5);
      expect(fakes.callsOf('proveAccess')).toEqual([]);
      expect(fakes.service.places.sort(ascending)).toEqual(placesUpTo(20));
    });

    it('is looked into again until that works', async () => {
      const fakes = rig().fakes({ 2: { answers: [{ lost: 'accepted' }] } });
      let failures = 3;
      fakes.before.recoverRequests = () => {
        failures -= 1;
        if (failures >= 0) throw new Error('the store cannot be reached');
      };
      const lane = await rig().startLane({ rows: 5 });
      expect(await lane.result()).toEqual({ counts: counted({ issued: 5 }) });
      expect(fakes.callsOf('recoverRequests')).toHaveLength(4);
      expect(fakes.service.places.sort(ascending)).toEqual(placesUpTo(5));
    });
  },
);
