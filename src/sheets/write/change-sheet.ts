import { stringify, type Stringifier } from 'csv-stringify';
import type { ChangeRecord } from '../../domain/monitors/change-record';
import { sheetText } from './result-cells';

/** A published format: add at the end only. */
export const changeColumns = [
  'monitor_id',
  'change_id',
  'severity',
  'type',
  'status',
  'found_as',
  'detected_at',
  'seen_at',
  'seen_by',
  'file_at',
  'webhook_at',
  'delivered_at',
  'delivered_by',
  'in_digest',
  'acknowledged_at',
  'acknowledged_by',
  'lag_seconds',
  'failures',
  'failure',
  'again_at',
  'reviewed_at',
  'reviewed_by',
  'review_note',
  'erased',
] as const satisfies readonly (keyof ChangeRecord)[];

/** Takes cells, gives CSV: `,` and LF, or with `excel` the format of result sheets. */
export function changeSheet({ excel = false }: { excel?: boolean } = {}): Stringifier {
  return stringify({
    columns: [...changeColumns],
    header: true,
    delimiter: excel ? ';' : ',',
    record_delimiter: excel ? '\r\n' : '\n',
    bom: excel,
    quoted_match: /[;,\t\r\n]/,
  });
}

/**
 * In the order of `changeColumns`.
 *
 * @param excel formulas are escaped, and figures have a decimal comma: a program in Portuguese takes the point
 * for thousands
 */
export function changeCells(
  record: ChangeRecord,
  { excel = false }: { excel?: boolean } = {},
): string[] {
  return changeColumns.map((column) => {
    const cell = record[column];
    if (typeof cell !== 'number') return cell === null ? '' : sheetText(String(cell), excel);
    return excel ? String(cell).replace('.', ',') : String(cell);
  });
}
