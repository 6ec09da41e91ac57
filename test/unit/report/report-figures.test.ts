import { rowStatuses, type StoredResultRow } from '../../../src/domain/certificates/certificates';
import { ReportFigures } from '../../../src/report/certificates/figures';
import { issuedAfter, rowOf } from './sample';

function figuresOf(rows: Iterable<StoredResultRow>): ReportFigures {
  const fold = new ReportFigures('certificate-batch');
  for (const row of rows) fold.add(row);
  return fold;
}

const oneOfEach = rowStatuses.map((status, at) => rowOf(status, { line: at + 2 }));

describe('the figures of a report', () => {
  it('count every row once: what is issued, a duplicate, erased, or left adds up to the total', () => {
    const { batch } = figuresOf([...oneOfEach, ...oneOfEach, rowOf('issued')]);
    expect(batch.lines).toBe(19);
    const counts = new Map(Object.entries(batch.counts));
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(19);
    const listed = batch.left.reduce((sum, [, { count }]) => sum + count, 0);
    const done = ['issued', 'duplicate', 'erased'].map((status) => counts.get(status) ?? 0);
    expect(done.reduce((sum, count) => sum + count, listed)).toBe(19);
  });

  it('list what is left with the most urgent first', () => {
    expect(figuresOf(oneOfEach).batch.left.map(([status]) => status)).toEqual([
      'unknown_outcome',
      'failed',
      'expired',
      'invalid',
      'unsupported',
      'cancelled',
    ]);
  });

  it('measure what this work asked for, and count apart what it took over', () => {
    const { waits, issuedAt, takenOver } = figuresOf([
      issuedAfter(2_000),
      issuedAfter(4_000),
      issuedAfter(9_000_000, 0, { attempts: 0 }),
      issuedAfter(1_000, 0, { completedAt: null }),
      issuedAfter(1_000, 0, { completedAt: 'soon' }),
      issuedAfter(1_000, 0, { completedAt: '0001-01-01T00:00:00Z' }),
      issuedAfter(1_000, 0, { completedAt: '+275760-09-13T00:00:00Z' }),
    ]);
    expect([[...waits], issuedAt.length, takenOver]).toEqual([[2_000, 4_000], 2, 1]);
  });

  it("take a service's clock that is behind ours for no wait at all", () => {
    expect([...figuresOf([issuedAfter(-5_000)]).waits]).toEqual([0]);
  });

  it('count a possible double charge once, not again for its duplicates', () => {
    const { doubleCharges } = figuresOf([
      rowOf('issued', { line: 3, possibleDoubleCharge: true }),
      rowOf('duplicate', { line: 4, possibleDoubleCharge: true }),
    ]);
    expect(doubleCharges).toEqual({ count: 1, lines: [3] });
  });

  it('stay small however many rows there are', () => {
    const lines = (function* () {
      for (let n = 0; n < 100_000; n += 1) {
        const word = `${n % 100}`;
        if (n % 2 === 0) yield rowOf('failed', { line: n, possibleDoubleCharge: true });
        else yield issuedAfter(n * 37, n * 53, { line: n, classification: word });
      }
    })();
    const { batch, classifications, doubleCharges, waits } = figuresOf(lines);
    const group = new Map(batch.left).get('failed');
    expect([group?.count, group?.rows.length]).toEqual([50_000, 250]);
    expect([doubleCharges.count, doubleCharges.lines.length]).toEqual([50_000, 250]);
    expect(classifications.length).toBe(21);
    expect(classifications.reduce((sum, [, count]) => sum + count, 0)).toBe(50_000);
    expect(waits.length).toBe(50_000);
  });
});
