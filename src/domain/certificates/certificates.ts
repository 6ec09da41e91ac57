import type { DocumentType } from '../core/documents/documents';

/**
 * The words for certificates: what can be bought, how an issuance can end, and what stands on one
 * line of a result sheet. Plain types, shared by every layer.
 */

/**
 * What can be requested: `cnpj` is the real-time query of company data, `trabalhista` the
 * labour-debt negative certificate (the service answers it as `cndt`).
 */
export const certificateTypes = ['cnpj', 'trabalhista'] as const;
export type CertificateType = (typeof certificateTypes)[number];

/** What each can be asked for. */
export const documentTypesServed: Readonly<Record<CertificateType, readonly DocumentType[]>> = {
  cnpj: ['cnpj'],
  trabalhista: ['cpf', 'cnpj'],
};

/** How one input line ends: no other word reaches a result sheet. */
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
 * A line of the input that will be asked of the service, once per (type, document). `T`: what can be
 * asked for; a search has its target as `document`.
 */
export interface ManifestItem<T extends string = CertificateType> {
  kind: 'item';
  /** Position among the things to buy, from 0. Names the row everywhere but in front of people. */
  item: number;
  /** Physical line of the input file (header = 1): what people see. */
  line: number;
  type: T;
  /** Digits only: 11 (CPF) or 14 (CNPJ). */
  document: string;
  /** The user's own reference, '' when none. */
  reference: string;
  /** What was done to the cell to read it (zeros restored...), '' when nothing. */
  note: string;
  /** What is asked for, where the document does not say all of it; not stored with the row. */
  requested?: string;
  /** Cells of the user's other columns, as they stand; their names are in the record of the job. */
  own?: readonly string[];
  /** A tombstone: what told of a person is gone from it (`erase`). */
  erased?: true;
}

/** A line that asks for what an earlier one has asked for: `item` is that one's. */
export interface RepeatedLine<T extends string = CertificateType> extends Omit<
  ManifestItem<T>,
  'kind' | 'asks'
> {
  kind: 'duplicate';
  /** Line of the first occurrence. */
  duplicateOf: number;
}

/** A line that cannot be asked for. */
export interface RefusedLine<T extends string = CertificateType> {
  line: number;
  kind: 'invalid' | 'unsupported';
  /** The cell as found (trimmed), so that a person can mend it. */
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

/** One input line: it is an item, points at an earlier one, or cannot be one. */
export type ManifestRow<T extends string = CertificateType> =
  ManifestItem<T> | RepeatedLine<T> | RefusedLine<T>;

/** What a result sheet says of one input line. `null` and '' both print as an empty cell. */
export interface ResultRow {
  line: number;
  document: string;
  type: CertificateType | '';
  status: RowStatus;
  certidaoId: string | null;
  classification: string | null;
  divergent: boolean | null;
  officialName: string | null;
  /** As the service had it on record before it read the source. */
  baseName: string | null;
  holderName: string | null;
  sourceName: string | null;
  /** ISO 8601 instant at which the source was read, as the service told it. */
  capturedAt: string | null;
  /** Path of the PDF inside the result folder, with forward slashes. */
  pdf: string | null;
  sha256: string | null;
  /** Decisions to send that this work took for the row (requests that left or may have left). */
  attempts: number;
  errorCode: string | null;
  errorCategory: string | null;
  errorMessage: string | null;
  reference: string;
  /** Line of the first occurrence, for duplicates. */
  duplicateOf: number | null;
  note: string;
  possibleDoubleCharge: boolean;
  retryable: boolean | null;
  requestedAt: string | null;
  completedAt: string | null;
  /** Cells of the user's other columns; left out of what was erased or had no sheet. */
  own?: readonly string[];
}

/** A result row as it stands in the store: the PDF by its key there, and every issuance it had. */
export interface StoredResultRow extends Omit<ResultRow, 'pdf'> {
  /** Place among the things to buy, null for rows that never were one. */
  item: number | null;
  pdfKey: string | null;
  /** Every issuance the row ever had in this work, oldest first. */
  issuances: string[];
}

export type StatusCounts = Record<RowStatus, number>;

/** `summary.json` of a batch. Counts are of input lines with content. */
export interface BatchSummary {
  batchId: string;
  /** How often the results have been written: a person's decisions write them again. */
  edition: number;
  total: number;
  blankLines: number;
  counts: StatusCounts;
  /** Issuances asked for by this batch, whatever became of them. */
  requested: number;
  /** Rows issued with what was there, or what another job had requested. */
  reused: number;
  /** Rows that may have been charged twice. */
  possibleDoubleCharges: number;
  /** What the service told of the cost; its certificate answers tell nothing. */
  cost: null;
  inputName: string | null;
  startedAt: string;
  finishedAt: string;
  /** Head of the audit trail when the results were written; not on file for earlier versions. */
  auditHead?: string;
}

export function noCounts(): StatusCounts {
  return Object.fromEntries(rowStatuses.map((status) => [status, 0])) as StatusCounts;
}
