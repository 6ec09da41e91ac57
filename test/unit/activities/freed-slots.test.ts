import { FreedSlots } from '../../../src/activities/certificates/freed-slots';

let places: FreedSlots;
let now: number;
let wakes: number;

const pollOf = (lane: string) => places.freedByPoll(lane, () => void (wakes += 1));

beforeEach(() => {
  jest.useFakeTimers();
  now = 1_000;
  wakes = 0;
  places = new FreedSlots(() => now);
});

afterEach(() => {
  // What stays would accumulate for the life of the worker.
  expect(places.size).toBe(0);
  jest.useRealTimers();
});

it('passes a slot on to the chunk that waits for one', async () => {
  const watch = pollOf('lane');
  const taken = places.take('lane', 'run-1', 300);
  watch.free();
  expect(await taken).toBe(true);
  expect(watch.untakenSince()).toBeNull();
  expect(watch.handedOn()).toEqual([['run-1', 1]]);
  watch.close();
});

it('serves waiting chunks in order', async () => {
  const watch = pollOf('lane');
  const first = places.take('lane', 'run-1', 300);
  const second = places.take('lane', 'run-2', 300);
  watch.free();
  expect(await first).toBe(true);
  jest.advanceTimersByTime(300);
  expect(await second).toBe(false);
  expect(watch.handedOn()).toEqual([['run-1', 1]]);
  watch.close();
});

it('keeps a slot for the next chunk, and reports since when the oldest waits', async () => {
  const watch = pollOf('lane');
  watch.free();
  now = 1_050;
  watch.free();
  expect(watch.untakenSince()).toBe(1_000);
  expect(await places.take('lane', 'run-1', 0)).toBe(true);
  expect(watch.untakenSince()).toBe(1_050);
  expect(await places.take('lane', 'run-1', 0)).toBe(true);
  expect(watch.untakenSince()).toBeNull();
  expect(watch.handedOn()).toEqual([['run-1', 2]]);
  expect(await places.take('lane', 'run-1', 0)).toBe(false);
  watch.close();
});

it('reports none while a chunk of the lane runs: it may take them later', () => {
  const poll = pollOf('lane');
  const ended = places.chunkRuns('lane');
  poll.free();
  expect(poll.untakenSince()).toBeNull();
  ended();
  expect(poll.untakenSince()).toBe(1_000);
  poll.close();
});

it('says whether a chunk of its lane runs, and wakes the poll when each has ended', () => {
  const poll = pollOf('lane');
  const [first, second] = [places.chunkRuns('lane'), places.chunkRuns('lane')];
  places.chunkRuns('other lane')();
  expect([poll.chunksRun(), wakes]).toEqual([true, 0]);
  first();
  first();
  expect([poll.chunksRun(), wakes]).toEqual([true, 1]);
  second();
  expect([poll.chunksRun(), wakes]).toEqual([false, 2]);
  poll.close();
  places.chunkRuns('lane')();
  expect(wakes).toBe(2);
});

it('withdraws untaken slots when the poll ends, and none of another poll', async () => {
  const [ending, other] = [pollOf('lane'), pollOf('lane')];
  ending.free();
  other.free();
  ending.close();
  expect(await places.take('lane', 'run-1', 0)).toBe(true);
  expect(await places.take('lane', 'run-1', 0)).toBe(false);
  expect(ending.handedOn()).toEqual([]);
  expect(other.handedOn()).toEqual([['run-1', 1]]);
  other.close();
});

it('passes no slot from one lane to another', async () => {
  const watch = pollOf('lane');
  const taken = places.take('other lane', 'run-1', 300);
  watch.free();
  jest.advanceTimersByTime(300);
  expect(await taken).toBe(false);
  watch.close();
});

it('gives none to a chunk that has stopped waiting', async () => {
  const watch = pollOf('lane');
  const taken = places.take('lane', 'run-1', 300);
  jest.advanceTimersByTime(300);
  expect(await taken).toBe(false);
  watch.free();
  expect(watch.untakenSince()).toBe(1_000);
  watch.close();
  expect(watch.handedOn()).toEqual([]);
});
