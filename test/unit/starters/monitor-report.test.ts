import { MonitorPasses } from '../../../src/archive/monitor-passes';
import { MonitorRecords } from '../../../src/archive/monitor-records';
import { IdKey } from '../../../src/protection/id-key';
import { monitorsOf } from '../../../src/starters/monitor-report';
import { TemporaryArchive } from '../../support/temporary-archive';

const at = '2026-05-04T10:00:00.000Z';
let place: TemporaryArchive;
beforeEach(() => (place = new TemporaryArchive()));
afterEach(() => place.remove());

it('names monitors that could never be listed, what sweeps left, and fields that cannot be read', async () => {
  const { archive } = place;
  const idKey = IdKey.parse('cd'.repeat(32));
  const records = new MonitorRecords(archive, (text) => idKey.nameOf('document', text));
  const issues = [{ path: 'id', code: 'invalid_type' }];
  await records.keepUnreadable('monitor-1', { answer: { id: null }, issues }, { sweep: 's', at });
  await new MonitorPasses(archive).putPass('default', 0, {
    at,
    watch: 'watch-1',
    looked: 2,
    open: [],
    reconcile: [],
    failing: [{ monitorId: 'monitor-2', why: 'answered 403' }],
    blocked: [],
    left: [{ monitorId: 'monitor-1', why: 'no cursor: no way on' }],
  });
  const { total, listed } = await monitorsOf({ archive, idKey }, {});
  expect(total).toBe(2);
  expect(listed).toMatchObject([
    {
      monitorId: 'monitor-1',
      remarks: expect.arrayContaining([
        'left by its sweep: no cursor: no way on',
        '1 item of its list cannot be read (id: invalid_type)',
      ]),
    },
    {
      monitorId: 'monitor-2',
      remarks: expect.arrayContaining([`not to be listed at ${at}: answered 403`]),
    },
  ]);
});
