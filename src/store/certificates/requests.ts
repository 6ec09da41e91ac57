import type { CertificateType, ManifestRow } from '../../domain/certificates/certificates';
import {
  certificateFolder,
  type CertificateRecord,
  type RowListRef,
  type CertificateTerms,
} from '../../domain/certificates/job';
import type { Asker } from '../core/asker';
import { CertificateRowWriter } from './jobs';

/** What is asked for, before it is on record. */
export type CertificateRequest = Pick<
  CertificateRecord,
  'jobId' | 'kind' | 'type' | 'label' | 'rerun' | 'columns'
> & {
  rows: AsyncIterable<ManifestRow> | Iterable<ManifestRow>;
  blankLines?: number;
  /** As it is stored; null: there is no file. */
  input: Pick<CertificateRecord, 'inputName' | 'inputSha256' | 'inputKey'> | null;
};

/** Records a work, in bounded memory: it can be started then. */
export async function putCertificateJob(
  { environment, idKey, store }: Asker,
  { rows, blankLines = 0, input, ...asked }: CertificateRequest,
  terms: CertificateTerms,
): Promise<RowListRef> {
  const nameOf = (text: string): string => idKey.nameOf('document', text);
  const writer = new CertificateRowWriter(store, certificateFolder(asked.jobId), nameOf);
  let lines = 0;
  for await (const row of rows) {
    await writer.add(row);
    lines += 1;
  }
  // Without what is the engine's alone.
  const { rowDeadlineMs, reuseSince, onUnknown, concurrency, budget } = terms;
  return writer.finish({
    ...asked,
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

/** Records one document as a job of its own: it can be started then. */
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
