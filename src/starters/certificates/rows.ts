import { basename } from 'node:path';
import { bySeverity } from '../../domain/attention';
import { findingSection, type Findings } from '../../domain/core/findings';
import type { BatchSummary, StoredResultRow } from '../../domain/certificates/certificates';
import { resultRow, type OpenResultRow } from '../../domain/certificates/result-rows';
import { ownFields } from '../../sheets/write/result-cells';
import { CertificateJobs, type LatestEdition } from '../../store/certificates/jobs';
import type { Store } from '../../store/store';

/** Rows shown for a batch; all of them are in the sheet and in `result --rows`. */
const mostFound = 1_000;

/** A row for programs, with the service's response about its issuance. */
type PrintedRow = Omit<StoredResultRow, 'pdfKey' | 'own'> & {
  /** As received; null: there is none, or it was erased. */
  result: unknown;
  input: Record<string, string>;
};

export async function* printedRows(store: Store, folder: string): AsyncGenerator<PrintedRow> {
  const certificateJobs = new CertificateJobs(store);
  const { columns = [] } = (await certificateJobs.record(folder)) ?? {};
  for await (const page of certificateJobs.withOutcomes(folder)) {
    const rows = page.map(({ row, outcome }) => resultRow(row, outcome));
    const facts = await store.facts.among(rows.flatMap(({ certidaoId }) => certidaoId ?? []));
    for (const { own, pdfKey: _, ...row } of rows) {
      const { answer = null } = facts.get(row.certidaoId ?? '') ?? {};
      yield { ...row, result: answer, input: ownFields(own, columns) };
    }
  }
}

/** Those that need a person most come first. */
export async function batchFindings(
  { folder, outcome }: { folder: string; outcome: unknown },
  store: Store,
): Promise<Findings> {
  const { counts, total } = (outcome as LatestEdition).summary;
  const rows: Omit<PrintedRow, 'result'>[] = [];
  for await (const { result: _, ...row } of printedRows(store, folder)) {
    rows.push(row);
    if (rows.length === mostFound) break;
  }
  rows.sort((a, b) => bySeverity.indexOf(a.status) - bySeverity.indexOf(b.status));
  const first = ['line', 'status', 'holderName', 'document', 'classification', 'officialName'];
  const section = findingSection('certificates', rows, { file: 'results.csv', first, total });
  return { result: counts, facts: {}, sections: [section] };
}

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
