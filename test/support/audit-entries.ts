import type { Archive } from '../../src/archive/archive';
import { readAudit, type FiledAuditRecord } from '../../src/archive/audit-read';
import type { IdKey } from '../../src/archive/open-archive';
import type { AuditEntry } from '../../src/domain/audit';

export function entry(n: number): AuditEntry {
  return {
    kind: 'request',
    id: `request/certificate/cnpj/${n.toString(16).padStart(32, '0')}/1`,
    result: 'accepted',
    by: 'maria',
    happenedAt: '2026-11-21T09:59:59.000Z',
    work: 'certificate-batch/0a1b',
    item: n,
  };
}

export async function readAll(
  archive: Archive,
  idKey: IdKey,
  span: { from?: number; to?: number } = {},
): Promise<FiledAuditRecord[]> {
  const onUnreadable = (): never => {
    throw new Error('an unreadable line');
  };
  const found = [];
  for await (const record of readAudit(archive, idKey, { ...span, onUnreadable })) {
    found.push(record);
  }
  return found;
}
