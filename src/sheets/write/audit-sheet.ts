import type { AuditEntry } from '../../domain/core/audit';
import { inertCell } from './csv-file';

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
const cells: Record<string, (record: AuditSheetRecord) => string | number | boolean | undefined> = {
  at: ({ at }) => at,
  happened_at: ({ happenedAt }) => happenedAt,
  kind: ({ kind }) => kind,
  result: ({ result }) => result,
  by: ({ by }) => by,
  job: ({ job }) => job,
  item: ({ item }) => item,
  subject: ({ subject }) => subject,
  certidao_id: ({ certidaoId }) => certidaoId,
  sha256: ({ sha256 }) => sha256,
  details: ({ details }) =>
    Object.keys(details ?? {}).length > 0 ? JSON.stringify(details) : undefined,
  id: ({ id }) => id,
  chain: ({ chain }) => chain,
  number: ({ number }) => number,
  hash: ({ hash }) => hash,
  intact: ({ intact }) => intact,
};
export const auditColumns: readonly string[] = Object.keys(cells);

/** In the order of `auditColumns`; formulas are escaped. */
export function auditCells(record: AuditSheetRecord): string[] {
  return Object.values(cells).map((cell) => inertCell(String(cell(record) ?? '')));
}
