import type { CertificateType, ManifestRow } from '../../domain/certificates/certificates';
import {
  certificateFolder,
  type CertificateRecord,
  type RowListRef,
  type CertificateTerms,
} from '../../domain/certificates/job';
import type { Asker } from '../core/asker';

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
  const { jobId: id, kind } = request;
  const folder = certificateFolder(id);
  const writer = store.rows.writer(folder, nameOf);
  let lines = 0;
  for await (const row of rows) {
    await writer.add(row);
    lines += 1;
  }
  // Without terms that only Temporal needs.
  const { rowDeadlineMs, reuseSince, onUnknown, concurrency, budget } = terms;
  const record: CertificateRecord = {
    ...request,
    ...(input ?? { inputName: null, inputSha256: null, inputKey: null }),
    createdAt: new Date().toISOString(),
    createdBy: environment.actor,
    items: await writer.end(),
    lines,
    blankLines,
    terms: {
      rowDeadlineMs,
      reuseSince,
      onUnknown,
      ...(concurrency !== undefined && { concurrency }),
      ...(budget !== undefined && { budget }),
    },
  };
  const { createdAt, items } = record;
  const label = record.label && nameOf(record.label);
  await store.jobs.start(folder, { id, kind, createdAt, label }, record);
  return { folder, items, outcomesIn: folder };
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
