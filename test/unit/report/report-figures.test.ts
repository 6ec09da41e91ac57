import { rowStatuses, type StoredResultRow } from '../../../src/domain/certificates/certificates';
import { ReportFold, type ReportFigures } from '../../../src/report/certificates/report-figures';
import { issuedAfter, rowOf } from './sample';

function figuresOf(rows: Iterable<StoredResultRow>): ReportFigures {
  const fold = new ReportFold();
  for (const row of rows) fold.add(row);
  return fold.figures();
}

const oneOfEach = rowStatuses.map((status, at) => rowOf(status, { line: at + 2 }));

describe('the figures of a report', () => {
  it('count every row once: what is issued, a duplicate, erased, or left adds up to the total', () => {
    const { counts, total, left } = figuresOf([...oneOfEach, ...oneOfEach, rowOf('issued')]);
    expect(total).toBe(19);
    expect(rowStatuses.reduce((sum, status) => sum + counts[status], 0)).toBe(total);
    const listed = left.reduce((sum, { count }) => sum + count, 0);
    expect(listed + counts.issued + counts.duplicate + counts.erased).toBe(total);
  });

  it('list what is left with the most urgent first', () => {
    const { left } = figuresOf(oneOfEach);
    expect(left.map(({ status }) => status)).toEqual([
      'unknown_outcome',
      'failed',
      'expired',
      'invalid',
      'unsupported',
      'cancelled',
    ]);
  });

  it('measure what this work asked for, and count apart what it took over', () => {
    const { waits, issuedAt, takenOver, untimed } = figuresOf([
      issuedAfter(2_000),
      issuedAfter(4_000),
      issuedAfter(9_000_000, 0, { attempts: 0 }),
      issuedAfter(1_000, 0, { completedAt: null }),
      issuedAfter(1_000, 0, { completedAt: 'soon' }),
      issuedAfter(1_000, 0, { completedAt: '0001-01-01T00:00:00Z' }),
      issuedAfter(1_000, 0, { completedAt: '+275760-09-13T00:00:00Z' }),
    ]);
    expect([waits.total, issuedAt.total, takenOver, untimed]).toEqual([2, 2, 1, 4]);
    expect(waits.greatest).toBe(4_000);
  });

  it("take a service's clock that is behind ours for no wait at all", () => {
    expect(figuresOf([issuedAfter(-5_000)]).waits.greatest).toBe(0);
  });

  it('count a possible double charge once, not again for its duplicates', () => {
    const { doubleCharges } = figuresOf([
      rowOf('issued', { line: 3, possibleDoubleCharge: true }),
      rowOf('duplicate', { line: 4, possibleDoubleCharge: true }),
    ]);
    expect(doubleCharges).toEqual({ count: 1, lines: [3] });
  });

  it('hold no document in the clear, nor one that somebody wrote into a text', () => {
    const { left } = figuresOf([
      rowOf('failed', {
        document: '12345678909',
        reference: 'folha 123.456.789-09',
        errorMessage: 'not found: 11222333000181',
        note: '11.222.333/0001-81, order 2026110312',
      }),
    ]);
    expect(left[0]?.rows[0]).toMatchObject({
      document: '***.456.789-**',
      reference: 'folha ***.456.789-**',
      errorMessage: 'not found: 11.***.***/****-81',
      note: '11.***.***/****-81, order 2026110312',
    });
  });

  it('stay small however many rows there are', () => {
    const lines = (function* () {
      for (let n = 0; n < 100_000; n += 1) {
        const word = `${n % 100}`;
        if (n % 2 === 0) yield rowOf('failed', { line: n, possibleDoubleCharge: true });
        else yield issuedAfter(n * 37, n * 53, { line: n, classification: word });
      }
    })();
    const figures = figuresOf(lines);
    const group = figures.left[0];
    expect(group?.count).toBe(50_000);
    expect(group?.rows.map(({ line }) => line)).toEqual(
      Array.from({ length: 250 }, (_, n) => n * 2),
    );
    expect(figures.doubleCharges.count).toBe(50_000);
    expect(figures.doubleCharges.lines.length).toBe(250);
    expect(figures.classifications.length).toBe(21);
    expect(figures.classifications.reduce((sum, { count }) => sum + count, 0)).toBe(50_000);
    expect(figures.waits.total).toBe(50_000);
  });
});
