import type { AgainRow } from '../../../src/domain/certificates/certificate-rows';
import { DeferredRowRepository } from '../../../src/store/certificates/deferred-rows';
import { statement } from '../../../src/store/statement';
import { erased } from '../../support/erasures';
import { TemporaryStore } from '../../support/temporary-store';

let temporary: TemporaryStore;
let deferred: DeferredRowRepository;

beforeEach(() => {
  temporary = new TemporaryStore();
  deferred = new DeferredRowRepository(temporary.store);
});

afterEach(() => temporary.remove());

const list = { folder: 'works/w1', items: 1_000, outcomesIn: 'works/w1' };
const step = (number: number, lane = 'lane-0000-a') => ({ list, lane, step: number });
const row = (item: number, notBefore: number): AgainRow => ({
  rowIndex: item,
  attempts: 2,
  mode: 'normal',
  notBefore,
  throttled: 3,
  was: 'failed',
});
const indexesOf = ({ rows }: { rows: AgainRow[] }): number[] => rows.map((one) => one.rowIndex);

it('gives rows back as they were, those first that may go first, and tells of those left', async () => {
  await deferred.put(step(1), [row(7, 300), row(5, 100), row(6, 200)]);
  const taken = await deferred.take(step(2), { from: 0, to: 250, limit: 10 });
  expect(taken).toEqual({ rows: [row(5, 100), row(6, 200)], soonest: 300 });
  const rest = await deferred.take(step(3), { from: 0, to: 1_000, limit: 10 });
  expect(rest).toEqual({ rows: [row(7, 300)], soonest: null });
});

it('loses none when a step is repeated whose answer was lost', async () => {
  const rows = Array.from({ length: 450 }, (_, item) => row(item, item));
  await deferred.put(step(1), rows);
  await deferred.put(step(1), rows);
  const bounds = { from: 0, to: 1_000, limit: 200 };
  await deferred.take(step(2), bounds);
  const again = await deferred.take(step(2), bounds);
  const rest = await deferred.take(step(3), { ...bounds, limit: 1_000 });
  expect([...indexesOf(again), ...indexesOf(rest)]).toEqual(rows.map((one) => one.rowIndex));
});

it('changes nothing by a step that arrives after a later one', async () => {
  await deferred.put(step(1), [row(5, 100)]);
  await deferred.take(step(2), { from: 0, to: 100, limit: 10 });
  await deferred.put(step(1), [row(5, 100)]);
  expect(indexesOf(await deferred.take(step(3), { from: 0, to: 100, limit: 10 }))).toEqual([]);
  await deferred.put(step(4), [row(5, 900)]);
  expect(await deferred.take(step(5), { from: 0, to: 900, limit: 10 })).toMatchObject({
    rows: [row(5, 900)],
  });
});

it('keeps lanes apart, and executions of one', async () => {
  await deferred.put(step(1), [row(5, 100)]);
  const other = step(2, 'lane-0000-b');
  expect(indexesOf(await deferred.take(other, { from: 0, to: 100, limit: 10 }))).toEqual([]);
  await deferred.remove(list.folder, other.lane);
  expect(indexesOf(await deferred.take(step(2), { from: 0, to: 100, limit: 10 }))).toEqual([5]);
});

it('go with their job when it is erased, and none of another', async () => {
  const id = 'certificate-batch/aa/1';
  const folders = [`works/${id}`, `works/${id}-other`];
  for (const folder of folders)
    await deferred.put({ ...step(1), list: { ...list, folder, outcomesIn: folder } }, [row(0, 1)]);
  const start = { id, kind: 'certificate-batch', createdAt: '2026-01-05', label: null } as const;
  await temporary.store.jobs.start(`works/${id}`, start, {});
  const ending = { status: 'completed', needsAttention: false, endedAt: '2026-01-06' };
  await temporary.store.jobs.end(`works/${id}`, ending, {});
  await erased(temporary.store, (plan) => plan.ofJob(id));
  const left = await temporary.store.read<{ job: string }>(
    statement('SELECT job FROM deferred_row', []),
  );
  expect(left).toEqual([{ job: folders[1] }]);
});
