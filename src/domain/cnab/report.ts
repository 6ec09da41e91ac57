import type { CnabCode } from './checks';
import type { Finding } from './finding';
import type { CnabShape } from './layout';
import type { ReceivableTotals } from './receivable-checks';
import type { CnabHeader, CnabReceivable } from './records';

/** How a line ended; `none`: the file did. */
export type LineEnd = 'lf' | 'crlf' | 'cr' | 'none';

export interface ScanOptions {
  /** `YYYY-MM-DD`: what is due before it is overdue. */
  today: string;
  /** Findings kept of one code; the others are counted. */
  mostPerCode?: number;
  /** Lines that are expected, so that memory is taken once. */
  expectedLines?: number;
  /** Given each receivable whose line has the width of a record. */
  onReceivable?: (receivable: CnabReceivable) => void;
}

export interface CnabReport extends ReceivableTotals {
  findings: Finding<CnabCode>[];
  counts: Partial<Record<CnabCode, number>>;
  /** `Bradesco, CNAB 400`; null when there is no header to tell. */
  layout: string | null;
  shape: CnabShape;
  records: number;
  receivables: number;
  header: CnabHeader | null;
  /** CPF or CNPJ in the clear; null in layouts that do not have it in their receivables. */
  assignorDocument: string | null;
}
