import type { DocumentType } from '../core/documents/documents';
import type { ReportedFields } from './issuance';

/**
 * What can be requested: `cnpj` is the real-time query of company data, `trabalhista` the
 * labour-debt negative certificate (the service answers it as `cndt`).
 */
export const certificateTypes = ['cnpj', 'trabalhista'] as const;
export type CertificateType = (typeof certificateTypes)[number];

export const documentTypesServed: Readonly<Record<CertificateType, readonly DocumentType[]>> = {
  cnpj: ['cnpj'],
  trabalhista: ['cpf', 'cnpj'],
};

/** Statuses of an input line: a result sheet has no others. */
export const rowStatuses = [
  'issued',
  'failed',
  'invalid',
  'unsupported',
  'duplicate',
  'unknown_outcome',
  'expired',
  'cancelled',
  'erased',
] as const;
export type RowStatus = (typeof rowStatuses)[number];

/**
 * An input line to be requested, once per (type, document). `T`: what can be requested; a search has its target as
 * `document`.
 */
export interface ManifestItem<T extends string = CertificateType> {
  kind: 'item';
  /** Row index, from 0: names the row everywhere but in front of people. */
  item: number;
  /** Physical line of the input file (header = 1): what people see. */
  line: number;
  type: T;
  document: string;
  reference: string;
  note: string;
  /** The request, where the document does not say all of it; not stored with the row. */
  requested?: string;
  /** Cells of the user's other columns, unchanged; their names are in the job record. */
  own?: readonly string[];
  erased?: true;
}

export interface RepeatedLine<T extends string = CertificateType> extends Omit<
  ManifestItem<T>,
  'kind' | 'asks'
> {
  kind: 'duplicate';
  duplicateOf: number;
}

export interface RefusedLine<T extends string = CertificateType> {
  line: number;
  kind: 'invalid' | 'unsupported';
  /** The cell as found (trimmed), so that a person can fix it. */
  document: string;
  type: T | '';
  reference: string;
  /** Stable word: `wrong_length`, `wrong_digits`, `ambiguous`, ... */
  code: string;
  /** A sentence for the analyst. Never holds the document. */
  message: string;
  own?: readonly string[];
  erased?: true;
}

export type ManifestRow<T extends string = CertificateType> =
  ManifestItem<T> | RepeatedLine<T> | RefusedLine<T>;

export interface ResultRow extends Omit<ReportedFields, 'pdfKey'> {
  line: number;
  document: string;
  type: CertificateType | '';
  /** `open`: of a job that has not ended, nothing is stored yet. */
  status: RowStatus | 'open';
  certidaoId: string | null;
  /** Path of the PDF inside the result folder, with forward slashes. */
  pdf: string | null;
  /** Attempts of this job for the row (requests that were sent, or may have been). */
  attempts: number;
  reference: string;
  duplicateOf: number | null;
  note: string;
  possibleDoubleCharge: boolean;
  requestedAt: string | null;
  /** Cells of the user's other columns; left out when erased, or without a sheet. */
  own?: readonly string[];
}

export interface StoredResultRow extends Omit<ResultRow, 'pdf' | 'status'> {
  status: RowStatus;
  /** Row index; null: the line was never an item. */
  item: number | null;
  pdfKey: string | null;
  /** Every issuance of the row in this job, oldest first. */
  issuances: string[];
}

export type StatusCounts = Record<RowStatus, number>;

export interface BatchSummary {
  batchId: string;
  /** How often the results were written: a resolution writes them again. */
  edition: number;
  total: number;
  blankLines: number;
  counts: StatusCounts;
  requested: number;
  reused: number;
  possibleDoubleCharges: number;
  /** Reported cost; certificate responses have none. */
  cost: null;
  inputName: string | null;
  startedAt: string;
  finishedAt: string;
  /** Head of the audit trail when the results were written; missing in earlier versions. */
  auditHead?: string;
}

export function noCounts(): StatusCounts {
  return Object.fromEntries(rowStatuses.map((status) => [status, 0])) as StatusCounts;
}
