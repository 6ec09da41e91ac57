import type { AuditEntry } from '../../domain/core/audit';
import { inertCell } from './csv-file';

/** A record of the audit trail in a sheet. */
export interface AuditSheetRecord extends Omit<AuditEntry, 'kind' | 'details'> {
  at: string;
  chain: string;
  number: number;
  /** Any text in an altered record. */
  kind: string;
  /** Null in an altered record. */
  details?: object | null;
  hash: string;
  intact: boolean;
}

/** A published format: add at the end only. */
export const auditColumns = [
  'at',
  'happened_at',
  'kind',
  'result',
  'by',
  'job',
  'item',
  'subject',
  'certidao_id',
  'sha256',
  'details',
  'id',
  'chain',
  'number',
  'hash',
  'intact',
] as const;

/** In the order of `auditColumns`; formulas are escaped. */
export function auditCells(record: AuditSheetRecord): string[] {
  const { details } = record;
  const hasDetails = details != null && Object.keys(details).length > 0;
  const cells = [
    record.at,
    record.happenedAt,
    record.kind,
    record.result,
    record.by,
    record.job,
    record.item,
    record.subject,
    record.certidaoId,
    record.sha256,
    hasDetails ? JSON.stringify(details) : undefined,
    record.id,
    record.chain,
    record.number,
    record.hash,
    record.intact,
  ];
  return cells.map((cell) => (cell === undefined ? '' : inertCell(String(cell))));
}
