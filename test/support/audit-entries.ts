import type { AuditEntry } from '../../src/domain/core/audit';
import { readAudit, type StoredAuditRecord } from '../../src/store/audit/read';
import type { SealedDatabase } from '../../src/store/sealed/sealed-database';
import { testIdKey } from './temporary-store';

export function entry(n: number): AuditEntry {
  return {
    kind: 'request',
    id: `request/certificate/cnpj/${n.toString(16).padStart(32, '0')}/1`,
    result: 'accepted',
    by: 'maria',
    happenedAt: '2026-11-21T09:59:59.000Z',
    job: 'certificate-batch/0a1b',
    item: n,
  };
}

export async function readAll(
  store: SealedDatabase,
  span: { from?: number; to?: number } = {},
): Promise<StoredAuditRecord[]> {
  const onUnreadable = (): never => {
    throw new Error('an unreadable line');
  };
  const found = [];
  for await (const record of readAudit(store, testIdKey, { ...span, onUnreadable })) {
    found.push(record);
  }
  return found;
}
