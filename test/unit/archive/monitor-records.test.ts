import { createHash } from 'node:crypto';
import { getJson, type Archive, type SmallRecord } from '../../../src/archive/archive';
import { MonitorLists } from '../../../src/archive/monitor-lists';
import { MonitorRecords } from '../../../src/archive/monitor-records';
import { toldChange } from '../../support/monitor-changes';
import { TemporaryArchive } from '../../support/temporary-archive';

const monitorId = '7b0c2a52-0000-4000-8000-000000000001';
const sinks = ['file', 'webhook'];
const first = { sweep: 'monitor-sweep/a/run-1', at: '2026-05-04T10:00:00.000Z' };
const second = { sweep: 'monitor-sweep/a/run-2', at: '2026-05-05T10:00:00.000Z' };
const nameOf = (document: string): string =>
  createHash('sha256').update(document).digest('hex').slice(0, 32);

let place: TemporaryArchive;
let records: MonitorRecords;

beforeEach(() => {
  place = new TemporaryArchive();
  records = new MonitorRecords(place.archive, nameOf);
});
afterEach(() => place.remove());

it('files a change once, as it was first seen, and reads the marks of one that it knows', async () => {
  const files = await records.fileChanges(
    monitorId,
    [toldChange('c1'), toldChange('c2')],
    { ...first, foundAs: 'open' },
    sinks,
  );
  expect(files.map(({ isNew, filed }) => [filed.change.changeId, isNew])).toEqual([
    ['c1', true],
    ['c2', true],
  ]);
  const mark = { ...first, attempt: 1 };
  await records.putDelivered(monitorId, 'file', [{ changeId: 'c1', mark }]);
  await records.putDelivered(monitorId, 'file', [
    { changeId: 'c1', mark: { ...mark, attempt: 2 } },
  ]);
  const acknowledged = { ...first, by: 'us' as const, acknowledgedAt: null };
  await records.putAcknowledged(monitorId, [{ changeId: 'c1', mark: acknowledged }]);
  const again = await records.fileChanges(
    monitorId,
    [toldChange('c3'), toldChange('c1', { severity: 'info' })],
    { ...second, foundAs: 'open' },
    sinks,
  );
  expect(again[0]).toMatchObject({ isNew: true, delivered: {}, acknowledged: null });
  expect(again[1]).toMatchObject({
    isNew: false,
    filed: { sweep: first.sweep, seenAt: first.at, change: { severity: 'warn' } },
    delivered: { file: mark },
    acknowledged,
  });
});

it('tells how the changes of one monitor stand: filed, open, stuck', async () => {
  const told = ['c1', 'c2', 'c3', 'c.4'].map((id) => toldChange(id));
  await records.fileChanges(monitorId, told, { ...first, foundAs: 'open' }, sinks);
  const why = { step: 'deliver' as const, sink: 'webhook', why: 'answered 500', againAt: null };
  for (const id of ['c1', 'c2', 'c.4']) {
    await records.countTrouble(monitorId, id, { ...first, ...why });
  }
  const acknowledged = { ...first, by: 'us' as const, acknowledgedAt: null };
  await records.putAcknowledged(monitorId, [{ changeId: 'c1', mark: acknowledged }]);
  const standing = await records.standing(monitorId, 1, sinks);
  expect(standing).toMatchObject({ filed: 4, open: 3, stuck: 2 });
  expect(standing.named).toMatchObject([{ changeId: 'c.4', trouble: { count: 1 } }]);
  const others = { filed: 0, open: 0, stuck: 0, named: [] };
  expect(await records.standing('another', 20, sinks)).toEqual(others);
});

it('calls stuck what others acknowledged before a required sink had it', async () => {
  const told = ['c1', 'c2'].map((id) => toldChange(id));
  await records.fileChanges(monitorId, told, { ...first, foundAs: 'open' }, sinks);
  const why = { step: 'deliver' as const, sink: 'webhook', why: 'answered 500', againAt: null };
  for (const changeId of ['c1', 'c2']) {
    await records.countTrouble(monitorId, changeId, { ...first, ...why });
    const elsewhere = { ...first, by: 'elsewhere' as const, acknowledgedAt: null };
    await records.putAcknowledged(monitorId, [{ changeId, mark: elsewhere }]);
  }
  const mark = { ...second, attempt: 2 };
  await records.putDelivered(monitorId, 'webhook', [{ changeId: 'c2', mark }]);
  const standing = await records.standing(monitorId, 20, ['webhook']);
  expect(standing).toMatchObject({ open: 0, stuck: 1, named: [{ changeId: 'c1' }] });
  expect(await records.standing(monitorId, 20, [])).toMatchObject({ stuck: 0 });
});

it('counts what a change could not be brought through over sweeps', async () => {
  const why = { step: 'deliver' as const, sink: 'webhook', why: 'answered 500', againAt: null };
  await records.countTrouble(monitorId, 'c1', { ...first, ...why });
  const trouble = await records.countTrouble(monitorId, 'c1', { ...second, ...why });
  expect(trouble).toEqual({
    ...why,
    sweep: second.sweep,
    count: 2,
    firstAt: first.at,
    lastAt: second.at,
  });
});

it('names every filed change in the index of its day, before the change is there', async () => {
  await records.fileChanges(monitorId, [toldChange('c1')], { ...first, foundAs: 'open' }, sinks);
  await records.fileChanges(
    monitorId,
    [toldChange('c1'), toldChange('c2')],
    { ...second, foundAs: 'open' },
    sinks,
  );
  const since = await records.indexKeys(second.at);
  const lines = await Promise.all(since.map((key) => records.indexLines(key)));
  expect(lines).toEqual([[{ monitorId, changeId: 'c2', seenAt: second.at }]]);
  expect(await records.indexKeys(null)).toHaveLength(2);

  const broken = new MonitorRecords(withoutSeen(place.archive), nameOf);
  const filing = broken.fileChanges(
    monitorId,
    [toldChange('c4')],
    { ...second, foundAs: 'open' },
    sinks,
  );
  await expect(filing).rejects.toThrow('no space');
  expect(await records.indexKeys(null)).toHaveLength(3);
});

it('reads what was filed since an instant, each change once with its marks, oldest first', async () => {
  const by = { ...first, foundAs: 'open' as const };
  await records.fileChanges(monitorId, [toldChange('c1'), toldChange('c2')], by, sinks);
  await records.fileChanges('other', [toldChange('c1')], { ...by, at: second.at }, sinks);
  // Whoever filed it died between the index and the change, and tried again.
  const [key = ''] = await records.indexKeys(null);
  const again = await place.archive.get(key);
  await place.archive.putIfAbsent(`${key.slice(0, -6)}b.jsonl`, again ?? '');
  const review = { at: second.at, by: 'ana', note: 'seen' };
  await records.putReview(monitorId, 'c2', review);

  const told = async (
    ...since: Parameters<MonitorRecords['filedSince']>
  ): Promise<(string | number)[][]> => {
    const found: (string | number)[][] = [];
    for await (const { filed, reviews } of records.filedSince(...since)) {
      found.push([filed.monitorId, filed.change.changeId, reviews.length]);
    }
    return found;
  };
  const all = [
    [monitorId, 'c1', 0],
    [monitorId, 'c2', 1],
    ['other', 'c1', 0],
  ];
  expect(await told(null, sinks)).toEqual(all);
  expect(await told('2020-01-01T00:00:00.000Z', sinks)).toEqual(all);
  expect(await told(second.at, sinks)).toEqual(all.slice(2));
  expect(await told(null, sinks, (line) => line.monitorId === 'other')).toEqual(all.slice(2));
});

it('knows which documents stand in the records of a monitor', async () => {
  const told = toldChange('c1');
  const answer = { ...(told.answer as object), after: { cpf: '11144477735' } };
  await records.fileChanges(
    monitorId,
    [{ ...told, answer }],
    { ...first, foundAs: 'elsewhere' },
    sinks,
  );
  const held = await place.archive.subjects.holdersOf([nameOf('11144477735')]);
  expect([...held.values()]).toEqual([new Set([`monitors/${monitorId}`])]);
});

it('keeps an item that is no change once, and counts the sweeps that come by it', async () => {
  const item = { answer: { nothing: true }, issues: ['id: missing'] };
  expect(await records.keepUnreadable(monitorId, item, first)).toBe(1);
  expect(await records.keepUnreadable(monitorId, item, first)).toBe(1);
  expect(await records.keepUnreadable(monitorId, item, second)).toBe(2);
  const [key = '', ...others] = await place.archive.list(`monitors/${monitorId}/unreadable/`);
  expect(others).toEqual([]);
  expect(await getJson(place.archive, key)).toMatchObject({ ...item, ...first, count: 2 });
});

it('keeps a list of monitors in pages, the same list once', async () => {
  const lists = new MonitorLists(place.archive);
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

/** An archive that has no room for changes. */
function withoutSeen(archive: Archive): Archive {
  return new Proxy(archive, {
    get(target, name: keyof Archive) {
      if (name !== 'putAllIfAbsent') {
        const value = target[name];
        return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
      }
      return async (some: readonly SmallRecord[]) => {
        if (some.some(({ key }) => key.includes('/seen/'))) throw new Error('no space');
        return target.putAllIfAbsent(some);
      };
    },
  });
}
