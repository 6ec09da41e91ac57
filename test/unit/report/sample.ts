import {
  noCounts,
  type BatchSummary,
  type RowStatus,
  type StoredResultRow,
} from '../../../src/domain/certificates/certificates';
import type { CertificateRecord } from '../../../src/domain/certificates/job';
import type { DecisionRecord } from '../../../src/domain/core/decision';
import { ReportFigures } from '../../../src/report/certificates/figures';
import type { Report } from '../../../src/report/certificates/page';

export const startedAt = Date.parse('2026-11-03T21:00:00Z');

export const record: CertificateRecord = {
  jobId: 'certificate-batch/318eb6ede1bfc4fa1055338604451b92',
  kind: 'certificate-batch',
  type: null,
  label: null,
  inputName: 'fornecedores.csv',
  inputSha256: 'a'.repeat(64),
  inputKey: null,
  createdAt: new Date(startedAt).toISOString(),
  createdBy: 'ana',
  lines: 0,
  blankLines: 1,
  items: 0,
  terms: { rowDeadlineMs: 86_400_000, reuseSince: startedAt - 7 * 86_400_000, onUnknown: 'report' },
};

const plain: StoredResultRow = {
  line: 2,
  document: '11222333000181',
  type: 'cnpj',
  status: 'issued',
  certidaoId: '6a0c2b1e-3f5d-4c7a-9b8e-1d2f3a4b5c6d',
  classification: 'negativa',
  divergent: false,
  officialName: 'Padaria Fictícia Ltda',
  baseName: 'Padaria Ficticia',
  holderName: 'Padaria Fictícia Ltda',
  sourceName: 'Receita Federal',
  capturedAt: null,
  sha256: 'ab',
  attempts: 1,
  errorCode: null,
  errorCategory: null,
  errorMessage: null,
  reference: '',
  duplicateOf: null,
  note: '',
  possibleDoubleCharge: false,
  retryable: null,
  requestedAt: new Date(startedAt).toISOString(),
  completedAt: new Date(startedAt + 3_000).toISOString(),
  item: 0,
  pdfKey: null,
  issuances: [],
};

const endings: Record<RowStatus, Partial<StoredResultRow>> = {
  issued: {},
  duplicate: { duplicateOf: 2, attempts: 0 },
  failed: {
    errorCode: 'source_unavailable',
    errorCategory: 'source',
    errorMessage: 'Fonte indisponível',
    retryable: true,
    completedAt: null,
  },
  unknown_outcome: {
    certidaoId: null,
    errorCode: 'unknown_outcome',
    errorCategory: 'unknown',
    errorMessage: 'POST /certidoes: the connection was reset',
    completedAt: null,
  },
  expired: {
    errorCode: 'deadline',
    errorCategory: 'expired',
    errorMessage: 'the issuance had not settled at the deadline of the row',
    completedAt: null,
  },
  invalid: {
    certidaoId: null,
    attempts: 0,
    errorCode: 'wrong_length',
    errorCategory: 'input',
    errorMessage: 'The cell has 13 digits: a CNPJ has 14.',
    requestedAt: null,
    completedAt: null,
  },
  unsupported: {
    certidaoId: null,
    attempts: 0,
    errorCode: 'alphanumeric_cnpj',
    errorCategory: 'input',
    errorMessage: 'This is an alphanumeric CNPJ, which the service does not take yet.',
    requestedAt: null,
    completedAt: null,
  },
  cancelled: {
    certidaoId: null,
    attempts: 0,
    note: 'cancelled before it was requested',
    requestedAt: null,
    completedAt: null,
  },
  erased: {
    document: '',
    certidaoId: null,
    classification: null,
    officialName: null,
    baseName: null,
    holderName: null,
    sourceName: null,
    sha256: null,
    requestedAt: null,
    completedAt: null,
  },
};

export function rowOf(status: RowStatus, own: Partial<StoredResultRow> = {}): StoredResultRow {
  return { ...plain, status, ...endings[status], ...own };
}

/** Issued after so many milliseconds, asked for at an instant of the work. */
export function issuedAfter(
  waitMs: number,
  requestedMs = 0,
  own: Partial<StoredResultRow> = {},
): StoredResultRow {
  const at = startedAt + requestedMs;
  return rowOf('issued', {
    requestedAt: new Date(at).toISOString(),
    completedAt: new Date(at + waitMs).toISOString(),
    ...own,
  });
}

export function reportOf(
  rows: Iterable<StoredResultRow>,
  work: Partial<CertificateRecord> = {},
  decisions: DecisionRecord[] = [],
): Report {
  const figures = new ReportFigures('certificate-batch');
  for (const row of rows) figures.add(row);
  const summary: BatchSummary = {
    batchId: record.jobId,
    edition: 0,
    total: figures.batch.lines,
    blankLines: 1,
    counts: { ...noCounts(), ...figures.batch.counts },
    requested: figures.batch.lines,
    reused: 0,
    possibleDoubleCharges: figures.doubleCharges.count,
    cost: null,
    inputName: record.inputName,
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(startedAt + 300_000).toISOString(),
  };
  return {
    summary,
    record: { ...record, ...work },
    decisions,
    figures,
    files: [],
    writtenAt: startedAt + 301_000,
  };
}

export const decision: DecisionRecord = {
  number: 1,
  action: 'reissue',
  externalId: null,
  note: 'the risk is accepted',
  by: 'ana',
  at: new Date(startedAt + 200_000).toISOString(),
  rows: [{ item: 4, line: 6, status: 'unknown_outcome', certidaoId: null, attempts: 1 }],
};
