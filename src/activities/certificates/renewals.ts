import { startEntry } from '../../domain/audit-entries';
import { expiringOf, renewalRows } from '../../domain/certificates/validity';
import {
  allRows,
  certificateFolder,
  type CertificateRecord,
  type RowListRef,
  type CertificateTerms,
} from '../../domain/certificates/job';
import { putCertificateJob } from '../../store/certificates/jobs';
import { heldCertificates } from '../../store/certificates/held';
import type { CertificateDependencies } from '../dependencies';

export interface RenewalInput {
  /** Certificates that expire within this time. */
  withinMs: number;
  terms: CertificateTerms;
  by: string;
  label: string | null;
  /** Epoch milliseconds: a renewal stored since then is this one. */
  startedAt: number;
}

export interface StoredRenewal {
  jobId: string;
  list: RowListRef;
}

const firstPart = 'certificate-batch/renewals/';

/** Stores a batch of expiring certificates, as if a person had started it. */
export function createCertificateRenewalActivities(deps: CertificateDependencies) {
  const { audit, idKey, now, store } = deps;

  /** Null: nothing expires. */
  async function fileRenewal(input: RenewalInput): Promise<StoredRenewal | null> {
    const { by, label, startedAt, terms, withinMs } = input;
    const last = await store.jobs.last<CertificateRecord>(certificateFolder(firstPart));
    if (last !== null && Date.parse(last.record.createdAt) >= startedAt) {
      const { folder, record } = last;
      return { jobId: record.jobId, list: { folder, items: record.items, outcomesIn: folder } };
    }
    const at = now();
    const rows = renewalRows(expiringOf(await heldCertificates(store), withinMs, at));
    if (rows.length === 0) return null;
    const jobId = `${firstPart}${new Date(at).toISOString().replace(/[-:.]/g, '')}`;
    const { onUnknown } = terms;
    const items = rows.length;
    await audit.append([startEntry({ jobId, by }, { items, onUnknown, rerun: false }, at)]);
    const asker = { environment: { actor: by }, idKey, store };
    const request = {
      jobId,
      kind: 'certificate-batch',
      type: null,
      label,
      rows,
      input: null,
    } as const;
    return { jobId, list: allRows(await putCertificateJob(asker, request, terms)) };
  }

  return { fileRenewal };
}
