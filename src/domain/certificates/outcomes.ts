import type { CertificateType } from './certificates';

/** What the service told of an issuance, in the words of the result sheet. */
export interface ReportedFields {
  completedAt: string | null;
  classification: string | null;
  divergent: boolean | null;
  officialName: string | null;
  baseName: string | null;
  holderName: string | null;
  sourceName: string | null;
  capturedAt: string | null;
  /** Key of the checked PDF, in the store. */
  pdfKey: string | null;
  sha256: string | null;
  errorCode: string | null;
  errorCategory: string | null;
  errorMessage: string | null;
  retryable: boolean | null;
}

/** Nothing at all: for rows that never had an answer. */
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
 * How one item of a work ended, as it is stored. An item may have several: `mergeOutcomes` unites them
 * (decision record 004).
 */
export interface OutcomeRecord extends ReportedFields {
  item: number;
  status: 'issued' | 'failed' | 'expired' | 'unknown_outcome' | 'cancelled';
  /** Null when the request was refused, or its answer lost. */
  certidaoId: string | null;
  /** Decisions this work took for the item. */
  attempts: number;
  requestedAt: string | null;
  settledAt: string;
  note: string;
  possibleDoubleCharge: boolean;
}

/** What is known for good about one issuance, stored under its id: true for every work. */
export interface IssuanceFact extends ReportedFields {
  certidaoId: string;
  type: CertificateType;
  status: 'issued' | 'failed';
  /** Epoch milliseconds at which we stored it. */
  settledAt: number;
  retryAfterMs: number | null;
  note: string;
  /** The service's answer as it came. */
  answer: unknown;
  /** An erasure took its PDF, or what was told: nobody else can be given it as theirs. */
  erased?: true;
}

/** An item with everything stored about it, united. */
export interface MergedOutcome extends OutcomeRecord {
  /** Every issuance the item ever had in this work, oldest first. */
  issuances: string[];
}

/**
 * Unites what was stored about one item: an issued certificate stands whatever came before or
 * after; else the record stored last.
 */
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
