import type { CertificateType } from './certificates';
import type { ReportedFields } from './issuance';

export const nothingReported: ReportedFields = {
  completedAt: null,
  classification: null,
  divergent: null,
  officialName: null,
  baseName: null,
  holderName: null,
  sourceName: null,
  capturedAt: null,
  pdfKey: null,
  sha256: null,
  errorCode: null,
  errorCategory: null,
  errorMessage: null,
  retryable: null,
};

/**
 * Stored outcome of one item of a job. An item may have several: `mergeOutcomes` merges them (decision record 004).
 */
export interface OutcomeRecord extends ReportedFields {
  item: number;
  status: 'issued' | 'failed' | 'expired' | 'unknown_outcome' | 'cancelled';
  /** Null when the request was refused, or its response lost. */
  certidaoId: string | null;
  attempts: number;
  requestedAt: string | null;
  settledAt: string;
  note: string;
  possibleDoubleCharge: boolean;
}

/** The permanent record of a settled issuance, stored under its id: valid for every job. */
export interface IssuanceFact extends ReportedFields {
  certidaoId: string;
  type: CertificateType;
  status: 'issued' | 'failed';
  /** Epoch milliseconds at which we stored it. */
  settledAt: number;
  retryAfterMs: number | null;
  note: string;
  answer: unknown;
  /** Its PDF or content was erased: it cannot be reused. */
  erased?: true;
}

export interface MergedOutcome extends OutcomeRecord {
  issuances: string[];
}

/** Merges the outcomes of one item: an issued certificate always wins; else the record stored last. */
export function mergeOutcomes(records: readonly OutcomeRecord[]): MergedOutcome | null {
  const ordered = records.toSorted(
    (a, b) => a.settledAt.localeCompare(b.settledAt) || a.attempts - b.attempts,
  );
  const current = ordered.findLast((record) => record.status === 'issued') ?? ordered.at(-1);
  if (current === undefined) return null;
  const ids = ordered.map((record) => record.certidaoId).filter((id) => id !== null);
  return {
    ...current,
    attempts: Math.max(...ordered.map((record) => record.attempts)),
    issuances: [...new Set(ids)],
    possibleDoubleCharge: ordered.some((record) => record.possibleDoubleCharge),
  };
}
