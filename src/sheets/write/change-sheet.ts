import type { ChangeRecord } from '../../domain/monitors/change-record';
import { csvCell, type CsvStyle } from './csv-file';

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

export function changeCells(record: ChangeRecord, { excel = false }: CsvStyle = {}): string[] {
  return changeColumns.map((column) => csvCell(record[column], excel));
}
