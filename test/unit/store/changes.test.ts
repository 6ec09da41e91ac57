import { createHash } from 'node:crypto';
import type { FoundAs } from '../../../src/domain/monitors/stored';
import { SealedDatabase } from '../../../src/store/sealed/sealed-database';
import { statement, type Statement } from '../../../src/store/statement';
import { ChangeQueries, type ChangeFilter } from '../../../src/store/monitors/change-queries';
import { ChangeRepository } from '../../../src/store/monitors/changes';
import { toldChange } from '../../support/monitor-changes';
import { TemporaryStore } from '../../support/temporary-store';

const monitorId = '7b0c2a52-0000-4000-8000-000000000001';
const first = { sweep: 'monitor-sweep/a/run-1', at: '2026-05-04T10:00:00.000Z' };
const second = { sweep: 'monitor-sweep/a/run-2', at: '2026-05-05T10:00:00.000Z' };
const open = { foundAs: 'open' as FoundAs };
const nameOf = (document: string): string =>
  createHash('sha256').update(document).digest('hex').slice(0, 32);
/** What went wrong, at an instant. */
const why = { step: 'deliver' as const, sink: 'webhook', why: 'answered 500', againAt: null };

let place: TemporaryStore;
let changes: ChangeRepository;
let queries: ChangeQueries;

beforeEach(() => {
  place = new TemporaryStore();
  changes = new ChangeRepository(place.store, nameOf);
  queries = new ChangeQueries(place.store);
});
afterEach(() => place.remove());

const troubleOf = (changeId: string, { sweep, at }: typeof first) => ({
  ...why,
  changeId,
  sweep,
  lastAt: at,
});
const tellAll = (ids: readonly string[]) => ids.map((id) => toldChange(id));

/** What is asked of the store from now on. */
function traffic(): { reads: number; commits: (readonly Statement[])[] } {
  const seen: { reads: number; commits: (readonly Statement[])[] } = { reads: 0, commits: [] };
  const { database } = place;
  const read = database.read.bind(database);
  const commit = database.commit.bind(database);
  database.read = async <T>(one: Statement) => {
    seen.reads += 1;
    return read<T>(one);
  };
  database.commit = async (statements) => {
    seen.commits.push(statements);
    return commit(statements);
  };
  return seen;
}

it('stores a change once, as it was first seen, and reads the marks of one that it knows', async () => {
  const files = await changes.file(monitorId, tellAll(['c1', 'c2']), { ...first, ...open });
  expect(files.map(({ isNew, stored }) => [stored.change.changeId, isNew])).toEqual([
    ['c1', true],
    ['c2', true],
  ]);
  const mark = { ...first, attempt: 1 };
  const [one, another] = [mark, { ...mark, attempt: 2 }];
  await changes.putDelivered(monitorId, 'file', [{ changeId: 'c1', mark: one }]);
  await changes.putDelivered(monitorId, 'file', [{ changeId: 'c1', mark: another }]);
  const acknowledged = { ...first, by: 'us' as const, acknowledgedAt: null, required: ['file'] };
  await changes.putAcknowledged(monitorId, [{ changeId: 'c1', mark: acknowledged }]);
  const later = { ...second, by: 'elsewhere' as const, acknowledgedAt: null, required: ['file'] };
  await changes.putAcknowledged(monitorId, [{ changeId: 'c1', mark: later }]);
  const again = await changes.file(
    monitorId,
    [toldChange('c3'), toldChange('c1', { severity: 'info' })],
    { ...second, ...open },
  );
  expect(again[0]).toMatchObject({ isNew: true, delivered: {}, acknowledged: null });
  expect(again[1]).toEqual({
    isNew: false,
    stored: { monitorId, ...toldChange('c1'), ...open, seenAt: first.at, sweep: first.sweep },
    delivered: { file: mark },
    acknowledged,
    failure: null,
  });
});

it('brings a page of a hundred through in three commits, and commits nothing for nothing', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => `c${n}`);
  const seen = traffic();
  await changes.file(monitorId, tellAll(ids), { ...first, ...open });
  const mark = { ...first, attempt: 1 };
  await changes.putDelivered(
    monitorId,
    'file',
    ids.map((changeId) => ({ changeId, mark })),
  );
  const acknowledged = { ...first, by: 'us' as const, acknowledgedAt: null, required: ['file'] };
  await changes.putAcknowledged(
    monitorId,
    ids.map((changeId) => ({ changeId, mark: acknowledged })),
  );
  expect(seen.commits.map(({ length }) => length)).toEqual([2, 1, 1]);
  expect(seen.reads).toBe(1);
  const again = await changes.file(monitorId, tellAll(ids), { ...second, ...open });
  expect(again.filter((file) => file.delivered['file'] && file.acknowledged)).toHaveLength(100);
  await changes.putDelivered(monitorId, 'file', []);
  await changes.putAcknowledged(monitorId, []);
  expect(await changes.countFailures(monitorId, [])).toEqual([]);
  await changes.clearFailures(monitorId, []);
  expect(seen.commits).toHaveLength(3);
  // Changes, what troubled them, and their marks.
  expect(seen.reads).toBe(1 + 3);
});

it('writes a page of any length in parts', async () => {
  const ids = Array.from({ length: 450 }, (_, n) => `c${n}`);
  const seen = traffic();
  const files = await changes.file(monitorId, tellAll(ids), { ...first, ...open });
  expect(files.map(({ stored }) => stored.change.changeId)).toEqual(ids);
  expect(seen.commits).toHaveLength(3);
});

it('reads what another worker has stored meanwhile', async () => {
  const { database } = place;
  const other = new ChangeRepository(new SealedDatabase(database), nameOf);
  const commit = database.commit.bind(database);
  database.commit = async (statements) => {
    database.commit = commit;
    await other.file(monitorId, [toldChange('c1')], { ...second, ...open });
    return commit(statements);
  };
  const files = await changes.file(monitorId, tellAll(['c1', 'c2']), { ...first, ...open });
  expect(files.map(({ isNew, stored }) => [isNew, stored.sweep])).toEqual([
    [false, second.sweep],
    [true, first.sweep],
  ]);
});

it('takes any id of the service, and refuses what a database would change', async () => {
  const odd = ["'; DROP TABLE change; --", 'a/b', 'ção %00', '["a","b"]', '.'];
  await changes.file("m'/1", tellAll(odd), { ...first, ...open });
  expect([...(await changes.files("m'/1", odd)).keys()].toSorted()).toEqual(odd.toSorted());
  for (const id of ['\ud800', 'a\0b']) {
    const filing = changes.file(monitorId, [toldChange(id)], { ...first, ...open });
    await expect(filing).rejects.toThrow(RangeError);
  }
});

it('marks nothing that nobody has seen', async () => {
  const mark = { ...first, attempt: 1 };
  const marking = changes.putDelivered(monitorId, 'file', [{ changeId: 'c1', mark }]);
  await expect(marking).rejects.toMatchObject({ code: 'constraint' });
});

it('takes an acknowledgement in place of one that was gone, and no other', async () => {
  await changes.file(monitorId, [toldChange('c1')], { ...first, ...open });
  const by = async (): Promise<string | undefined> =>
    (await changes.get(monitorId, 'c1'))?.acknowledged?.by;
  for (const [whose, stands] of [
    ['gone', 'gone'],
    ['gone', 'gone'],
    ['us', 'us'],
    ['elsewhere', 'us'],
    ['gone', 'us'],
  ] as const) {
    const mark = { ...second, by: whose, acknowledgedAt: null, required: ['file'] };
    await changes.putAcknowledged(monitorId, [{ changeId: 'c1', mark }]);
    expect(await by()).toBe(stands);
  }
});

it('keeps the instant of an acknowledgement in the clear, and no other words of the service', async () => {
  await changes.file(monitorId, tellAll(['c1', 'c2']), { ...first, ...open });
  const told = { c1: '2026-05-04T10:00:00.123+03:00', c2: '111.444.777-35' };
  for (const [changeId, acknowledgedAt] of Object.entries(told)) {
    const mark = { ...first, by: 'us' as const, acknowledgedAt, required: ['file'] };
    await changes.putAcknowledged(monitorId, [{ changeId, mark }]);
  }
  expect((await changes.get(monitorId, 'c1'))?.acknowledged?.acknowledgedAt).toBe(told.c1);
  expect((await changes.get(monitorId, 'c2'))?.acknowledged?.acknowledgedAt).toBeNull();
});

it('tells how the changes of one monitor stand: stored, open, stuck', async () => {
  await changes.file(monitorId, tellAll(['c1', 'c2', 'c3', 'c.4']), { ...first, ...open });
  const troubles = ['c1', 'c2', 'c.4'].map((changeId) => troubleOf(changeId, first));
  await changes.countFailures(monitorId, troubles);
  const acknowledged = { ...first, by: 'us' as const, acknowledgedAt: null, required: ['file'] };
  await changes.putAcknowledged(monitorId, [{ changeId: 'c1', mark: acknowledged }]);
  const standing = await queries.backlog(monitorId, 1, ['file', 'webhook']);
  expect(standing).toMatchObject({ stored: 4, open: 3, stuck: 2 });
  expect(standing.named).toMatchObject([{ changeId: 'c.4', failure: { count: 1 } }]);
  const others = { stored: 0, open: 0, stuck: 0, named: [] };
  expect(await queries.backlog('another', 20, [])).toEqual(others);
});

it('calls stuck what others acknowledged before a required sink had it', async () => {
  await changes.file(monitorId, tellAll(['c1', 'c2']), { ...first, ...open });
  for (const changeId of ['c1', 'c2']) {
    await changes.countFailures(monitorId, [troubleOf(changeId, first)]);
    const elsewhere = {
      ...first,
      by: 'elsewhere' as const,
      acknowledgedAt: null,
      required: ['webhook'],
    };
    await changes.putAcknowledged(monitorId, [{ changeId, mark: elsewhere }]);
  }
  const mark = { ...second, attempt: 2 };
  await changes.putDelivered(monitorId, 'webhook', [{ changeId: 'c2', mark }]);
  const standing = await queries.backlog(monitorId, 20, ['webhook']);
  expect(standing).toMatchObject({ open: 0, stuck: 1, named: [{ changeId: 'c1' }] });
  expect(await queries.backlog(monitorId, 20, [])).toMatchObject({ stuck: 0 });
});

it('counts what a change could not be brought through over sweeps, also two at once', async () => {
  await changes.file(monitorId, tellAll(['c1', 'c2']), { ...first, ...open });
  await changes.countFailures(monitorId, [troubleOf('c1', first)]);
  const [c2, c1] = await changes.countFailures(monitorId, [
    troubleOf('c2', second),
    troubleOf('c1', second),
  ]);
  const { sweep, at } = second;
  const failure = { ...why, sweep, count: 2, firstAt: first.at, lastAt: at };
  expect(c1).toEqual({ changeId: 'c1', failure });
  expect(c2?.failure).toMatchObject({ count: 1, firstAt: at });
  expect((await changes.get(monitorId, 'c1'))?.failure).toEqual(failure);
  await Promise.all([1, 2].map(() => changes.countFailures(monitorId, [troubleOf('c1', second)])));
  expect((await changes.get(monitorId, 'c1'))?.failure).toMatchObject({ count: 4 });
  await changes.clearFailures(monitorId, ['c1']);
  expect((await changes.get(monitorId, 'c1'))?.failure).toBeNull();
});

it('reads what was seen since an instant, each once with its marks, oldest first', async () => {
  const by = { ...first, ...open };
  await changes.file(monitorId, tellAll(['c1', 'c2']), by);
  await changes.file('other', [toldChange('c1', { severity: 'info' })], { ...by, at: second.at });
  await changes.putReview(monitorId, 'c2', { at: second.at, by: 'ana', note: 'seen' });
  await changes.putReview(monitorId, 'c2', { at: first.at, by: 'ana', note: 'not yet' });

  const told = async (filter: Partial<ChangeFilter>): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const { stored, reviews } of queries.files({ since: null, ...filter })) {
      found.push([stored.monitorId, stored.change.changeId, ...reviews.map(({ note }) => note)]);
    }
    return found;
  };
  const all = [
    [monitorId, 'c1'],
    [monitorId, 'c2', 'not yet', 'seen'],
    ['other', 'c1'],
  ];
  expect(await told({})).toEqual(all);
  expect(await told({ since: '2020-01-01T00:00:00.000Z' })).toEqual(all);
  expect(await told({ since: second.at })).toEqual(all.slice(2));
  expect(await told({ monitors: ['other'] })).toEqual(all.slice(2));
  expect(await told({ severities: ['warn', 'critical'] })).toEqual(all.slice(0, 2));
  expect(await queries.monitorsWith('c1')).toEqual([monitorId, 'other']);
});

it('tells what a sweep stored, delivered or acknowledged, the first seen first', async () => {
  await changes.file(monitorId, tellAll(['a', 'B', 'delivered', 'mine']), { ...first, ...open });
  await changes.file(monitorId, tellAll(['ç', 'b', 'Z']), { ...second, ...open });
  await changes.file('other', tellAll(['b']), { ...second, ...open });
  const mark = { ...second, attempt: 1 };
  for (const sink of ['file', 'webhook'])
    await changes.putDelivered(monitorId, sink, [{ changeId: 'delivered', mark }]);
  const acknowledged = { ...second, by: 'us' as const, acknowledgedAt: null, required: [] };
  await changes.putAcknowledged(monitorId, [{ changeId: 'B', mark: acknowledged }]);
  await changes.putReview(monitorId, 'Z', { at: second.at, by: 'ana', note: 'seen' });

  const told = async (sweep: string, most: number): Promise<unknown> => {
    const { files, total } = await queries.ofSweep({ monitorId, sweep }, most);
    const ids = files.map(({ stored, reviews }) => [stored.change.changeId, reviews.length]);
    return { total, ids: ids.map(([id, count]) => (count === 0 ? id : `${id} reviewed`)) };
  };
  const all = ['B', 'delivered', 'Z reviewed', 'b', 'ç'];
  expect(await told(second.sweep, 9)).toEqual({ total: 5, ids: all });
  expect(await told(second.sweep, 3)).toEqual({ total: 5, ids: all.slice(0, 3) });
  expect(await told(first.sweep, 9)).toEqual({ total: 4, ids: ['B', 'a', 'delivered', 'mine'] });
  expect(await told('another', 9)).toEqual({ total: 0, ids: [] });
});

it('reads more changes than one look has', async () => {
  const ids = Array.from({ length: 450 }, (_, n) => `c${n}`);
  await changes.file(monitorId, tellAll(ids), { ...first, ...open });
  let found = 0;
  for await (const _ of queries.files({ since: first.at })) found += 1;
  expect(found).toBe(450);
});

it('stores with a change which documents stand in it, or neither', async () => {
  const told = toldChange('c1');
  const answer = { ...(told.answer as object), after: { cpf: '11144477735' } };
  await changes.file(monitorId, [{ ...told, answer }], { ...first, foundAs: 'elsewhere' });
  const held = await place.store.subjects.lines(nameOf('11144477735'));
  expect([...held.keys()]).toEqual([`monitors/${monitorId}`]);
  const bodies = await place.database.read(statement('SELECT count(*) AS count FROM change'));
  expect(bodies).toEqual([{ count: 1 }]);
});
