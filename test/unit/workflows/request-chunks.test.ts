import type {
  RequestRow,
  RowAnswer,
  UnsentReason,
} from '../../../src/domain/certificates/certificate-rows';
import { noChunk, RequestChunks } from '../../../src/workflows/certificates/rows/request-chunks';

const scope = { cancel: jest.fn(), consideredCancelled: false };

const rows = (count: number): RequestRow[] =>
  Array.from({ length: count }, (_, rowIndex) => [rowIndex, 0, 'normal']);
const sent = (count: number): RowAnswer[] =>
  rows(count).map(([rowIndex]) => ({ kind: 'settled', rowIndex, status: 'issued', attempts: 1 }));
const unsent = (count: number, reason: UnsentReason): RowAnswer[] =>
  rows(count).map(([rowIndex]) => ({
    kind: 'unsent',
    rowIndex,
    attempts: 0,
    reason,
    notBefore: 0,
  }));

const underWay = { probing: false, polled: true };
const probing = { probing: true, polled: true };

function returned(answers: RowAnswer[], places: number, tookMs = 100): RequestChunks {
  const runs = new RequestChunks();
  runs.start('r', { rows: rows(answers.length), slots: places, scope });
  runs.learn(answers, places, tookMs);
  runs.end('r');
  return runs;
}

describe('the chunks of a row driver', () => {
  test('hold their own slots and those passed on until they return', () => {
    const runs = new RequestChunks();
    runs.start('a', { rows: rows(10), slots: 4, scope });
    runs.start('b', { rows: rows(10), slots: 0, scope });
    runs.handOn('b', 3);
    expect(runs.slots()).toBe(7);
    runs.end('b');
    runs.handOn('b', 2);
    expect(runs.slots()).toBe(4);
  });

  test('take more rows than slots only where a poll may pass slots on', () => {
    const runs = new RequestChunks();
    expect(runs.next(50, 4, underWay)).toEqual({ rows: 17, slots: 4 });
    expect(runs.next(50, 4, { ...underWay, polled: false })).toEqual({ rows: 4, slots: 4 });
    expect(runs.next(50, 4, probing)).toEqual({ rows: 1, slots: 1 });
    expect(runs.next(50, 0, underWay)).toEqual(noChunk);
  });

  test('divide rows and slots evenly, few of them not at all', () => {
    const chunks = new RequestChunks();
    const parts: unknown[] = [];
    for (let [ready, free] = [700, 125]; ready > 0;) {
      const { rows: size, slots } = chunks.next(ready, free, underWay);
      if (size === 0) break;
      parts.push([size, slots]);
      chunks.start(`${ready}`, { rows: rows(size), slots, scope });
      [ready, free] = [ready - size, free - slots];
    }
    expect(parts).toEqual([
      [100, 42],
      [100, 42],
      [100, 41],
    ]);
    expect(new RequestChunks().next(40, 40, underWay)).toEqual({ rows: 14, slots: 14 });
    expect(new RequestChunks().next(10, 10, underWay)).toEqual({ rows: 10, slots: 10 });
  });

  test('start without a slot of their own once a poll may pass some on, all at first', () => {
    const chunks = new RequestChunks();
    expect(chunks.next(50, -3, underWay).rows).toBe(0);
    chunks.expectSlots();
    expect(chunks.next(50, 0, probing).rows).toBe(0);
    expect(chunks.next(50, 0, { ...underWay, polled: false }).rows).toBe(0);
    for (const name of ['a', 'b', 'c']) {
      expect(chunks.next(50, -3, underWay)).toMatchObject({ slots: 0 });
      chunks.start(name, { rows: rows(10), slots: 0, scope });
    }
    expect(chunks.next(50, -3, underWay)).toEqual(noChunk);
  });

  test('do so one at a time after one that was passed all it asked for, one more after each that was quick', () => {
    const chunks = returned(unsent(10, 'no_slot'), 0);
    for (const [tookMs, most] of [
      [900, 1],
      [900, 1],
      [100, 2],
    ] as const) {
      chunks.learn(sent(10), 2, tookMs);
      const names = ['a', 'b', 'c'].slice(0, most);
      for (const name of names) {
        expect(chunks.next(50, -3, underWay).rows).toBeGreaterThan(0);
        chunks.start(name, { rows: rows(10), slots: 0, scope });
      }
      expect(chunks.next(50, -3, underWay)).toEqual(noChunk);
      for (const name of names) chunks.end(name);
    }
  });

  test.each([
    ['had rows that found no slot', returned([...sent(8), ...unsent(2, 'no_slot')], 2)],
    ['sent nothing', returned(unsent(10, 'no_slot'), 0)],
  ])('no longer do after one that %s, until one is passed all it asks for', (_what, chunks) => {
    chunks.expectSlots();
    expect(chunks.next(50, 0, underWay).rows).toBe(0);
    expect(chunks.next(50, 4, underWay)).toEqual({ rows: 8, slots: 4 });
    chunks.learn(sent(8), 4, 900);
    expect(chunks.next(50, 0, underWay).rows).toBe(17);
  });

  test('learn nothing about it from one that had a slot for every row', () => {
    const chunks = returned(sent(10), 10);
    expect(chunks.next(50, 0, underWay).rows).toBe(0);
  });

  test('learn nothing from rows without a slot', () => {
    const runs = returned([...sent(1), ...unsent(9, 'no_slot')], 1, 300);
    expect(runs.next(50, 50, underWay).rows).toBe(17);
    expect(runs.next(50, 1, underWay).rows).toBe(2);
    runs.start('a', { rows: rows(10), slots: 10, scope });
    runs.start('b', { rows: rows(10), slots: 10, scope });
    expect(runs.next(50, 30, underWay).rows).toBe(50);
  });

  test('become as short as what could be sent, and longer again when that takes half of the time', () => {
    const runs = returned([...sent(3), ...unsent(7, 'no_time')], 10, 3_000);
    expect(runs.next(50, 50, underWay).rows).toBe(3);
    runs.learn(sent(3), 3, 1_600);
    expect(runs.next(50, 50, underWay).rows).toBe(3);
    runs.learn(sent(3), 3, 1_400);
    expect(runs.next(50, 50, underWay).rows).toBe(6);
  });
});

it('cancels a chunk that may not have started, and leaves one that returns soon', () => {
  const runs = new RequestChunks();
  const queued = { cancel: jest.fn(), consideredCancelled: false };
  const now = Date.now();
  runs.start('queued', { rows: rows(10), slots: 10, scope: queued });
  const again = runs.cancelQueued(now);
  expect(queued.cancel).not.toHaveBeenCalled();
  expect(again).toBeGreaterThan(now);
  expect(runs.cancelQueued(again + 10)).toBe(Infinity);
  expect(queued.cancel).toHaveBeenCalledTimes(1);
});
