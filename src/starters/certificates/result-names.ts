import { basename } from 'node:path';
import type { BatchSummary } from '../../domain/certificates/certificates';
import type { OpenResultRow } from '../../domain/certificates/result-rows';

/** `summary.json`: the count of each status is beside `total`. */
export function summaryDocument(summary: BatchSummary): Record<string, unknown> {
  const { counts, batchId, total, ...rest } = summary;
  return { batchId, total, ...counts, counts, ...rest };
}

/**
 * By id, the name contains no document. By reference it is `0007_Padaria-Pao-e-Cia_11222333000181.pdf`: the line,
 * the user's reference, and the document.
 */
export function pdfName(row: OpenResultRow, key: string, names: 'id' | 'reference'): string {
  if (names === 'id') return basename(key);
  const marks = row.reference.normalize('NFKD').replace(/\p{M}/gu, '');
  const reference = marks.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '');
  const parts = [String(row.line).padStart(4, '0'), reference.slice(0, 80), row.document];
  return `${parts.filter((part) => part !== '').join('_')}.pdf`;
}
