/** One issuance as the service tells it, in our words. */

/** `unknown`: a status word that the specification does not list; treated as unsettled. */
export type IssuanceState = 'queued' | 'processing' | 'completed' | 'failed' | 'unknown';

export interface Issuance {
  certidaoId: string;
  state: IssuanceState;
  /** The service's own word, for people. */
  statusWord: string;
  stage: string | null;
  result: IssuanceResult | null;
  evidence: EvidenceLocation;
  error: IssuanceError | null;
  /** ISO 8601 instants as told. */
  createdAt: string | null;
  completedAt: string | null;
}

export interface IssuanceResult {
  /** `classificacao` as it came: its value set is not shown, so it is never read as "clean". */
  classification: string | null;
  divergent: boolean | null;
  officialName: string | null;
  /** As the service had it on record. */
  baseName: string | null;
  holderName: string | null;
  /** Where it was read. */
  sourceName: string | null;
  capturedAt: string | null;
}

export interface EvidenceLocation {
  /** `evidence.pdf_url`: a path or an address. */
  pdfUrl: string | null;
  /** `links.pdf`, the second choice. */
  linkedPdf: string | null;
  /** Hex, lower case. */
  sha256: string | null;
  /** The service says that it is still to come. */
  isPending: boolean;
}

export interface IssuanceError {
  code: string | null;
  category: string | null;
  message: string | null;
  retryable: boolean | null;
  retryAfterMs: number | null;
}

export function isSettled(state: IssuanceState): boolean {
  return state === 'completed' || state === 'failed';
}
