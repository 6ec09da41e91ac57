import type { CertificateType, ManifestRow } from '../../domain/certificates/certificates';
import {
  certificateFolder,
  type CertificateRecord,
  type RowListRef,
  type CertificateTerms,
} from '../../domain/certificates/job';
import type { Asker } from '../core/asker';
import { CertificateRowWriter } from './jobs';

/** A request before it is stored. */
export type CertificateRequest = Pick<
  CertificateRecord,
  'jobId' | 'kind' | 'type' | 'label' | 'rerun' | 'columns'
> & {
  rows: AsyncIterable<ManifestRow> | Iterable<ManifestRow>;
  blankLines?: number;
  /** The stored input; null: no file. */
  input: Pick<CertificateRecord, 'inputName' | 'inputSha256' | 'inputKey'> | null;
};

/** Stores a job in bounded memory; afterwards it can be started. */
export async function putCertificateJob(
  { environment, idKey, store }: Asker,
  { rows, blankLines = 0, input, ...request }: CertificateRequest,
  terms: CertificateTerms,
): Promise<RowListRef> {
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  const writer = new CertificateRowWriter(store, certificateFolder(request.jobId), nameOf);
  let lines = 0;
  for await (const row of rows) {
    await writer.add(row);
    lines += 1;
  }
  // Without terms that only Temporal needs.
  const { rowDeadlineMs, reuseSince, onUnknown, concurrency, budget } = terms;
  return writer.finish({
    ...request,
    ...(input ?? { inputName: null, inputSha256: null, inputKey: null }),
    createdAt: new Date().toISOString(),
    createdBy: environment.actor,
    lines,
    blankLines,
    terms: {
      rowDeadlineMs,
      reuseSince,
      onUnknown,
      ...(concurrency !== undefined && { concurrency }),
      ...(budget !== undefined && { budget }),
    },
  });
}

/** Stores one document as its own job; afterwards it can be started. */
export async function putIssuance(
  asker: Asker,
  jobId: string,
  type: CertificateType,
  {
    document,
    note,
    ...how
  }: { document: string; note: string } & Pick<CertificateRecord, 'label' | 'rerun'>,
  terms: CertificateTerms,
): Promise<RowListRef> {
  const row = { kind: 'item', item: 0, line: 1, type, document, reference: '', note } as const;
  const request = { jobId, kind: 'certificate', type, rows: [row], input: null } as const;
  return putCertificateJob(asker, { ...request, ...how }, terms);
}
