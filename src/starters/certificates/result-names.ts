import { basename } from 'node:path';
import type { BatchSummary, FiledRow } from '../../domain/certificates/certificates';

/** `summary.json`: the count of each status stands beside `total`, as a reader expects it. */
export function summaryDocument(summary: BatchSummary): Record<string, unknown> {
  const { counts, batchId, total, ...rest } = summary;
  return { batchId, total, ...counts, counts, ...rest };
}

/** No document in the name, unless the user's own references hold one. */
export function pdfName(row: FiledRow, key: string, names: 'id' | 'reference'): string {
  const reference = row.reference.normalize('NFKD').replace(/[^A-Za-z0-9_-]+/g, '-');
  if (names === 'id' || /^-*$/.test(reference)) return basename(key);
  const mark = (row.certidaoId ?? '').replace(/[^A-Za-z0-9]/g, '').slice(0, 8);
  return `${reference.slice(0, 80)}_${mark}.pdf`;
}
