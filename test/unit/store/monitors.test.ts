import { emptyBacklog, type SweepLeft } from '../../../src/domain/monitors/sweep';
import type { HealthOnFile } from '../../../src/domain/monitors/stored';
import { isReconcileDue } from '../../../src/domain/monitors/scan';
import { MonitorListRepository } from '../../../src/store/monitors/lists';
import { MonitorRepository } from '../../../src/store/monitors/monitors';
import { UnreadableItemRepository } from '../../../src/store/monitors/unreadable-items';
import { TemporaryStore } from '../../support/temporary-store';

const monitorId = '7b0c2a52-0000-4000-8000-000000000001';
const first = { sweep: 'monitor-sweep/a/run-1', at: '2026-05-04T10:00:00.000Z' };
const second = { sweep: 'monitor-sweep/a/run-2', at: '2026-05-05T10:00:00.000Z' };
const hour = 3_600_000;

let place: TemporaryStore;
let monitors: MonitorRepository;

beforeEach(() => {
  place = new TemporaryStore();
  monitors = new MonitorRepository(place.store, (text) => text);
});
afterEach(() => place.remove());

it('keeps an item that is no change once, and counts the sweeps that come by it', async () => {
  const items = new UnreadableItemRepository(place.store, (text) => text);
  const item = { answer: { nothing: true }, issues: [{ path: 'id', code: 'missing' }] };
  const other = { answer: { other: true }, issues: null };
  expect(await items.put(monitorId, [item, item], first)).toEqual([1, 1]);
  expect(await items.put(monitorId, [item], first)).toEqual([1]);
  expect(await items.put(monitorId, [other, item], second)).toEqual([1, 2]);
  expect(await items.of(monitorId)).toMatchObject([
    { answer: item.answer, why: 'id: missing', at: first.at, count: 2 },
    { answer: other.answer, why: 'not reported', at: second.at, count: 1 },
  ]);
  const listed: unknown[] = [];
  for await (const one of monitors.all()) listed.push(one);
  expect(listed).toMatchObject([{ monitorId, health: null, unreadable: 2 }]);
});

it('knows when a walk over all states is due: weekly, when owed, and after one in vain', async () => {
  const now = Date.parse(first.at);
  const isDue = async (hours: number): Promise<boolean> =>
    isReconcileDue((await monitors.get(monitorId))?.walks, now + hours * hour);
  await monitors.oweWalk(monitorId);
  expect(await monitors.get(monitorId)).toBeNull();
  expect(await isDue(0)).toBe(true);
  await monitors.putWalk(monitorId, first.at, true);
  expect([await isDue(1), await isDue(24 * 7)]).toEqual([false, true]);
  await monitors.oweWalk(monitorId);
  expect(await isDue(1)).toBe(true);
  await Promise.all([1, 2, 3].map(() => monitors.putWalk(monitorId, first.at, false)));
  // Twice as long each time: four minutes after the third one.
  expect([await isDue(0.05), await isDue(0.07)]).toEqual([false, true]);
  await monitors.putWalk(monitorId, first.at, true);
  expect(await isDue(1)).toBe(false);
});

it('keeps the health of a monitor beside what the service told of it', async () => {
  const health: HealthOnFile = { kind: 'unknown', at: first.at, why: 'no_route', status: 404 };
  await monitors.putHealth(monitorId, health);
  expect(await monitors.get(monitorId)).toMatchObject({ health });
  expect(await monitors.answer(monitorId)).toBeNull();
  expect(await monitors.get('another')).toBeNull();
});

it('keeps a list of monitors in pages, the same list once', async () => {
  const lists = new MonitorListRepository(place.store);
  const ids = Array.from({ length: 250 }, (_, index) => `monitor-${index}`);
  const list = await lists.put('watch', [...ids, 'monitor-0']);
  expect(list).toMatchObject({ monitors: 250, pages: 3 });
  expect(await lists.page(list, 2)).toEqual(ids.slice(200));
  expect(await lists.put('watch', ids)).toEqual(list);
  const shorter = await lists.put('watch', ids.slice(0, 5));
  expect(await lists.latest('watch')).toEqual(shorter);
  await expect(lists.page(shorter, 1)).rejects.toThrow(RangeError);
  expect(await lists.page(list, 0)).toHaveLength(100);
});

it('keeps what a sweep left until one comes through, or its monitor is on the page no more', async () => {
  const lists = new MonitorListRepository(place.store);
  const scanned = { at: first.at, scan: 's', probed: 2, open: [], notes: [] };
  await lists.putScan('all', 0, scanned, ['a', 'b', 'c']);
  const left = (undelivered: number): SweepLeft => {
    return { fault: null, warnings: [], backlog: { ...emptyBacklog, undelivered } };
  };
  for (const [n, id] of ['a', 'b', 'c'].entries()) await lists.putUnfinished(id, left(n + 1));
  await lists.putUnfinished('b', null);
  expect([await lists.unfinished('a'), await lists.unfinished('b')]).toEqual([left(1), null]);
  await lists.putScan('all', 0, scanned, ['a', 'b']);
  const notes = [{ monitorId: 'a', kind: 'unfinished', left: left(1) }];
  expect(await lists.scans('all')).toEqual([{ ...scanned, notes }]);
  expect(await lists.scans()).toEqual([{ ...scanned, notes }]);
  expect(await lists.scans('another')).toEqual([]);
});

it('forgets the scans of a list when it is replaced by another', async () => {
  const lists = new MonitorListRepository(place.store);
  const scanned = { at: first.at, scan: 's', probed: 1, open: [], notes: [] };
  await lists.put('all', ['a']);
  await lists.putScan('all', 0, scanned, ['a']);
  await lists.put('all', ['a']);
  expect(await lists.scans('all')).toHaveLength(1);
  await lists.put('all', ['b']);
  expect(await lists.scans('all')).toEqual([]);
});
