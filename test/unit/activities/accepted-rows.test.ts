import { AcceptedRows } from '../../../src/activities/certificates/accepted-rows';
import type { PolledRow } from '../../../src/domain/certificates/certificate-rows';

const row = (index: number, dueAt = 0): PolledRow => [index, `c-${index}`, 0, dueAt, 1, 0];

function pollOf(rows: AcceptedRows, poll: number, most = Infinity, lane = 'lane') {
  const taken: number[] = [];
  const take = ([index]: PolledRow): boolean => taken.length < most && taken.push(index) > 0;
  return { taken, stop: rows.takenBy(lane, { poll, take }) };
}

const stored = Promise.resolve(true);
let rows: AcceptedRows;

beforeEach(() => (rows = new AcceptedRows()));
// What stays would accumulate for the life of the worker.
afterEach(() => expect(rows.size).toBe(0));

it('passes a row to the poll of its lane that started last', async () => {
  const polls = [pollOf(rows, 1), pollOf(rows, 2), pollOf(rows, 3, Infinity, 'another')];
  const chunk = rows.ofChunk('lane');
  chunk.offer(row(5), stored);
  await stored;
  expect(polls.map(({ taken }) => taken)).toEqual([[], [5], []]);
  expect(chunk.dueAt()).toBe(Infinity);
  expect(chunk.close()).toEqual(new Map([[5, 2]]));
  for (const { stop } of polls) stop();
});

it('passes it to another one where that is full', async () => {
  const polls = [pollOf(rows, 1), pollOf(rows, 2, 1)];
  const chunk = rows.ofChunk('lane');
  for (const index of [5, 6]) chunk.offer(row(index), stored);
  await stored;
  expect(polls.map(({ taken }) => taken)).toEqual([[6], [5]]);
  chunk.close();
  for (const { stop } of polls) stop();
});

it('keeps rows for a poll that starts while their chunk runs, and says when the first is due', async () => {
  const chunk = rows.ofChunk('lane');
  chunk.offer(row(5, 300), stored);
  chunk.offer(row(6, 200), stored);
  await stored;
  expect(chunk.dueAt()).toBe(200);
  const { taken, stop } = pollOf(rows, 4);
  stop();
  expect(taken).toEqual([5, 6]);
  chunk.offer(row(7, 400), stored);
  expect(chunk.dueAt()).toBe(400);
  expect(chunk.close()).toEqual(
    new Map([
      [5, 4],
      [6, 4],
    ]),
  );
});

it('passes none on without its receipt, nor after its chunk has ended', async () => {
  const { taken, stop } = pollOf(rows, 1);
  const chunk = rows.ofChunk('lane');
  chunk.offer(row(5, 300), Promise.resolve(false));
  await stored;
  expect(chunk.dueAt()).toBe(300);
  chunk.offer(row(6), stored);
  expect(chunk.close()).toEqual(new Map());
  await stored;
  expect(taken).toEqual([]);
  stop();
});
