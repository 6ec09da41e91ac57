import { isDeepStrictEqual } from 'node:util';

import * as fc from 'fast-check';

import type { Finding } from '../../src/domain/cnab/finding';
import type { CnabReport } from '../../src/domain/cnab/report';
import { CnabScan } from '../../src/domain/cnab/scan';
import { LineCutter, longestLine } from '../../src/receivables/lines';
import { cnabFile, testReceivable } from '../support/cnab-files';
import { scanned, testToday } from '../support/cnab-scans';
import { sized } from '../support/full-size';

// Short ones, since there are many cases; what is repeated in one repeats its lines.
const [company, person] = [testReceivable(0), testReceivable(9)];
const files: [string, Buffer][] = [
  ['400 columns', cnabFile({ receivables: [company] })],
  ['444 columns', cnabFile({ bank: 'paulista', receivables: [person], lineEnd: '\r\n' })],
  ['both', cnabFile({ bank: 'itau', shape: 'mixed', receivables: [company, person] })],
  ['no receivable', cnabFile({ bank: 'bancoDoBrasil', receivables: [] })],
];
const casesOfAll = sized(4_000, 100_000);

// Bytes that mean something to a scan, more often than others.
const byte = fc.oneof(
  fc.constantFrom(0x00, 0x09, 0x0a, 0x0d, 0x1a, 0x20, 0x30, 0x31, 0x39, 0xc3, 0x87, 0xff),
  fc.nat(255),
);
const change = fc.record({
  kind: fc.constantFrom('set', 'insert', 'remove', 'repeat', 'cut'),
  at: fc.nat(1_700),
  length: fc.oneof(fc.nat(5), fc.nat(1_500)),
  byte,
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function changed(bytes: Buffer, { kind, at: wanted, length, byte: value }: Change): Buffer {
  const at = Math.min(wanted, bytes.length);
  const [before, piece, rest] = [
    bytes.subarray(0, at),
    bytes.subarray(at, at + length),
    bytes.subarray(at + length),
  ];
  if (kind === 'cut') return before;
  if (kind === 'remove') return Buffer.concat([before, rest]);
  if (kind === 'repeat') return Buffer.concat([before, piece, piece, rest]);
  const filling = Buffer.alloc(kind === 'set' ? piece.length : length, value);
  return Buffer.concat([before, filling, kind === 'set' ? rest : bytes.subarray(at)]);
}

/** The scan of lines that each stand alone between bytes of this value, as far as a line is long. */
function scannedAmong(bytes: Buffer, poison: number): CnabReport {
  const scan = new CnabScan({ today: testToday });
  const alone = Buffer.alloc(longestLine + 2_000);
  const cutter = new LineCutter({
    line(chunk, from, to, end, width) {
      alone.fill(poison);
      alone.set(chunk.subarray(from, to), 1_000);
      scan.line(alone, 1_000, 1_000 + to - from, end, width);
    },
  });
  cutter.push(bytes);
  cutter.end();
  return scan.finish();
}

/** Shows no document, and names columns as they are counted. */
function isTellable({ columns, found, expected }: Finding): boolean {
  if (/\d{11}/.test(found + expected)) return false;
  return columns === null || (columns[0] > 0 && columns[0] <= columns[1]);
}

function check(bytes: Buffer, chunkBytes: number, poison: number): void {
  const report = scanned(bytes, {}, chunkBytes);
  // Not by `expect`: it takes longer than the scan, thousands of times.
  if (!isDeepStrictEqual(scannedAmong(bytes, poison), report)) {
    expect(scannedAmong(bytes, poison)).toEqual(report);
  }
  for (const finding of report.findings) if (!isTellable(finding)) expect(finding).toBeNull();
}

describe('the scan of a file that was spoilt', () => {
  it.each(files)(
    'throws nothing, and reads nothing outside the line it is given: %s',
    (_what, file) => {
      const changes = fc.array(change, { maxLength: 3 });
      const chunkBytes = fc.constantFrom(97, 401, 1_000, 3_000);
      const poison = fc.constantFrom(0x00, 0x0a, 0x20, 0x39, 0xff);
      let checked = 0;
      fc.assert(
        fc.property(changes, chunkBytes, poison, (wanted, chunk, outside) => {
          check(wanted.reduce(changed, file), chunk, outside);
          checked += 1;
        }),
        { numRuns: casesOfAll / files.length },
      );
      expect(checked).toBe(casesOfAll / files.length);
    },
    240_000,
  );

  it('takes any bytes at all', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3_000 }), (bytes) => {
        const report = scanned(Buffer.from(bytes));
        expect(report.findings.some(({ level }) => level !== 'warn')).toBe(true);
      }),
    );
  });
});
