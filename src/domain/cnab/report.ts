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

/** What a file turned out to be. */
export interface CnabReport extends ReceivableTotals {
  findings: Finding<CnabCode>[];
  /** How many of each code there were, kept or not. */
  counts: Partial<Record<CnabCode, number>>;
  /** `Bradesco, CNAB 400`; null when there is no header to tell. */
  layout: string | null;
  shape: CnabShape;
  /** Lines with anything in them. */
  records: number;
  receivables: number;
  /** Records by width. */
  widths: Record<number, number>;
  lineEnds: Record<Exclude<LineEnd, 'none'>, number>;
  header: CnabHeader | null;
  /** CPF or CNPJ in the clear; null in layouts that do not have it in their receivables. */
  assignorDocument: string | null;
}
