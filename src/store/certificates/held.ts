import type { HeldCertificate } from '../../domain/certificates/validity';
import type { Store } from '../store';
import { CertificateJobs } from './jobs';

const jobsAtOnce = 500;

/** Reads all certificate jobs: one result per document and type, unordered. */
export async function heldCertificates(store: Store): Promise<HeldCertificate[]> {
  const newest = new Map<string, HeldCertificate>();
  const certificateJobs = new CertificateJobs(store);
  for (const kind of ['certificate', 'certificate-batch'] as const) {
    for (let after: string | undefined; ;) {
      const page = { sort: 'created', limit: jobsAtOnce, ...(after && { after }) } as const;
      const jobs = await store.jobs.list({ kind }, page);
      for (const { folder, id } of jobs) await addIssued(id, folder);
      after = jobs.at(-1)?.id;
      if (jobs.length < jobsAtOnce) break;
    }
  }
  return [...newest.values()];

  async function addIssued(job: string, folder: string): Promise<void> {
    for await (const page of certificateJobs.withOutcomes(folder))
      for (const { row, outcome } of page) {
        if (row.kind !== 'item' || row.erased === true || outcome?.status !== 'issued') continue;
        const { document, line, reference, type } = row;
        const { capturedAt, certidaoId } = outcome;
        const name = `${type}/${document}`;
        if (capturedAt === null || certidaoId === null) continue;
        if (Date.parse(newest.get(name)?.capturedAt ?? '1970') > Date.parse(capturedAt)) continue;
        newest.set(name, { type, document, reference, capturedAt, certidaoId, job, line });
      }
  }
}
