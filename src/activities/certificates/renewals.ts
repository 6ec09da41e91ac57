import { startEntry } from '../../domain/audit-entries';
import { expiringOf, renewalRows } from '../../domain/certificates/validity';
import {
  workFolder,
  type WorkRecord,
  type WorkRef,
  type WorkTerms,
} from '../../domain/certificates/work';
import { putWork } from '../../store/certificates/asks';
import { heldCertificates } from '../../store/certificates/held';
import type { CertificateDependencies } from '../dependencies';

export interface RenewalInput {
  /** Certificates that have at most so long to go. */
  withinMs: number;
  terms: WorkTerms;
  by: string;
  label: string | null;
  /** Epoch milliseconds: one that was filed since then is this one. */
  startedAt: number;
}

export interface FiledRenewal {
  workId: string;
  work: WorkRef;
}

const firstPart = 'certificate-batch/renewals/';

/** A batch of what runs out, on record as one that a person asks for. */
export function createCertificateRenewalActivities(deps: CertificateDependencies) {
  const { audit, idKey, now, store } = deps;

  /** Null: nothing runs out. */
  async function fileRenewal(input: RenewalInput): Promise<FiledRenewal | null> {
    const { by, label, startedAt, terms, withinMs } = input;
    const last = await store.jobs.last<WorkRecord>(workFolder(firstPart));
    if (last !== null && Date.parse(last.record.createdAt) >= startedAt) {
      const { folder, record } = last;
      return { workId: record.workId, work: { folder, items: record.items, filedIn: folder } };
    }
    const at = now();
    const rows = renewalRows(expiringOf(await heldCertificates(store), withinMs, at));
    if (rows.length === 0) return null;
    const workId = `${firstPart}${new Date(at).toISOString().replace(/[-:.]/g, '')}`;
    const { onUnknown } = terms;
    const items = rows.length;
    await audit.append([startEntry({ workId, by }, { items, onUnknown, rerun: false }, at)]);
    const asker = { environment: { actor: by }, idKey, store };
    const asked = {
      workId,
      kind: 'certificate-batch',
      type: null,
      label,
      rows,
      input: null,
    } as const;
    const work = await putWork(asker, asked, terms);
    return { workId, work };
  }

  return { fileRenewal };
}
