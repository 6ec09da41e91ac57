import type { CnabReport, ScanOptions } from '../../src/domain/cnab/report';
import { CnabScan } from '../../src/domain/cnab/scan';
import { LineCutter } from '../../src/receivables/lines';

/** The day on which the receivables of the tests are looked at: before they are due. */
export const testToday = '2026-11-21';

/** What the scan says of a whole file, handed over in chunks of this many bytes. */
export function scanned(
  bytes: Buffer,
  options: Partial<ScanOptions> = {},
  chunkBytes = bytes.length,
): CnabReport {
  const scan = new CnabScan({ today: testToday, ...options });
  const cutter = new LineCutter(scan);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    cutter.push(bytes.subarray(at, at + chunkBytes));
  }
  cutter.end();
  return scan.finish();
}
