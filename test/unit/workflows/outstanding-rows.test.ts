import type {
  PollAnswer,
  PollResult,
  PolledRow,
} from '../../../src/domain/certificates/certificate-rows';
import { OutstandingRows } from '../../../src/workflows/certificates/rows/outstanding-rows';

const mockCancel = jest.fn();
jest.mock('@temporalio/workflow', () => ({
  CancellationScope: class {
    run = (work: () => unknown): unknown => work();
    cancel = (): unknown => mockCancel();
  },
}));

const now = 1_000_000;
const dueIn = (ms: number): OutstandingRows =>
  new OutstandingRows([[0, 'certidao', now, now + ms, 1, 0]]);
const share = 100;

describe('an outstanding row that is not due yet', () => {
  test('waits for company while requests are under way', () => {
    expect(dueIn(300).next(now, share, true)).toEqual({ at: now + 150 });
    expect(dueIn(150).next(now, share, true)).toHaveProperty('rows.length', 1);
  });

  test('is watched in good time where a timer of the server alone could wake the driver', () => {
    expect(dueIn(900).next(now, share, false)).toHaveProperty('rows.length', 1);
    expect(dueIn(5_000).next(now, share, false)).toEqual({ at: now + 4_000 });
  });
});

describe('a row that a poll has taken over', () => {
  const tuple: PolledRow = [7, 'c-7', now, now, 2, 0];
  const retryable: PollResult = [7, 'retryable', now + 60];
  const found = { rowIndex: 7, attempts: 2, status: 'retryable', notBefore: now + 60 };
  const nothing = { due: [], unreadable: 0, handedOn: [], readFailure: null };
  const pollOf = (
    rows: OutstandingRows,
    answer: Partial<PollAnswer> = {},
    during: (poll: number) => void = () => undefined,
  ) =>
    rows.poll([], (_, poll) => {
      during(poll);
      return Promise.resolve({ settled: [], tookOver: [], ...nothing, ...answer });
    });

  test('is polled by no other, and by the next one when it has not settled', async () => {
    const rows = dueIn(0);
    await pollOf(rows, {}, (poll) => {
      expect(rows.add(tuple, now, poll)).toBeNull();
      expect(rows.next(now, share, true)).toHaveProperty('rows.length', 1);
    });
    expect(rows.next(now, share, true)).toHaveProperty('rows.length', 2);
  });

  test('is let go of with its poll: the workflow would keep both until the scope is cancelled', async () => {
    mockCancel.mockClear();
    const rows = dueIn(0);
    await pollOf(rows, {}, () => expect(mockCancel).not.toHaveBeenCalled());
    expect(mockCancel).toHaveBeenCalledTimes(1);
  });

  test('is removed by what that poll has found', async () => {
    const rows = dueIn(0);
    const end = await pollOf(rows, { settled: [retryable], tookOver: [[7, 'c-7']] }, (poll) =>
      rows.add(tuple, now, poll),
    );
    expect(end?.settled).toEqual([found]);
    expect(rows.size).toBe(1);
  });

  test('is polled at once when that poll has returned before its chunk', async () => {
    const rows = dueIn(0);
    await pollOf(rows);
    rows.add([7, 'c-7', now, now + 10_000, 2, 0], now, 1);
    expect(rows.next(now, share, true)).toHaveProperty('rows.length', 2);
  });

  test('may be known as settled before its chunk returns; another issuance of it is not', async () => {
    const rows = dueIn(0);
    const end = await pollOf(rows, { settled: [retryable], tookOver: [[7, 'c-7']] });
    expect(end?.settled).toEqual([]);
    expect(rows.early).toBe(1);
    expect(rows.add([7, 'another', now, now, 2, 0], now, 2)).toBeNull();
    expect(rows.add(tuple, now, 1)).toEqual(found);
    expect(rows.early).toBe(0);
    expect(rows.add(tuple, now, 1)).toBeNull();
  });

  test('that another poll reads too, after a lost chunk, ends once', async () => {
    const rows = dueIn(0);
    const settled = { settled: [retryable], tookOver: [[7, 'c-7']] as PollAnswer['tookOver'] };
    await pollOf(rows, {}, () => rows.add(tuple, now, 1));
    const end = await pollOf(rows, settled, () => rows.add(tuple, now));
    expect(end?.settled).toEqual([]);
    expect(rows.size).toBe(2);
  });
});
