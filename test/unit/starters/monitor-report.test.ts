import { emptyBacklog } from '../../../src/domain/monitors/sweep';
import { IdKey } from '../../../src/protection/id-key';
import { monitorsOf } from '../../../src/starters/monitors/report';
import { MonitorListRepository } from '../../../src/store/monitors/lists';
import { UnreadableItemRepository } from '../../../src/store/monitors/unreadable-items';
import { TemporaryStore } from '../../support/temporary-store';

const at = '2026-05-04T10:00:00.000Z';
let place: TemporaryStore;
beforeEach(() => (place = new TemporaryStore()));
afterEach(() => place.remove());

it('names monitors that could never be listed, what sweeps left, and fields that cannot be read', async () => {
  const { store } = place;
  const idKey = IdKey.parse('cd'.repeat(32));
  const items = new UnreadableItemRepository(store, (text) => idKey.nameOf('document', text));
  const issues = [{ path: 'id', code: 'invalid_type' }];
  await items.put('monitor-1', [{ answer: { id: null }, issues }], { sweep: 's', at });
  const lists = new MonitorListRepository(store);
  const notes = [{ monitorId: 'monitor-2', kind: 'failing', why: 'answered 403' } as const];
  const scanned = { at, scan: 'scan-1', probed: 2, open: [], notes };
  await lists.putScan('default', 0, scanned, ['monitor-1', 'monitor-2']);
  const left = { fault: null, warnings: ['slow sink'], backlog: emptyBacklog } as const;
  await lists.putUnfinished('monitor-1', left);
  const { total, listed } = await monitorsOf({ store, idKey }, {});
  expect(total).toBe(2);
  expect(listed).toMatchObject([
    {
      monitorId: 'monitor-1',
      notes: expect.arrayContaining([
        { kind: 'unfinished', left },
        { kind: 'unreadable', why: '1: id: invalid_type' },
      ]),
    },
    {
      monitorId: 'monitor-2',
      notes: expect.arrayContaining([{ kind: 'failing', why: 'answered 403' }]),
    },
  ]);
});
