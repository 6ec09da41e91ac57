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
  createdAt: string | null;
  completedAt: string | null;
}

export interface IssuanceResult {
  /** `classificacao` unchanged: its values are not documented, so it never counts as "clean". */
  classification: string | null;
  divergent: boolean | null;
  officialName: string | null;
  /** As the service had it before. */
  baseName: string | null;
  holderName: string | null;
  sourceName: string | null;
  capturedAt: string | null;
}

export interface EvidenceLocation {
  /** `evidence.pdf_url`: a path or an address. */
  pdfUrl: string | null;
  /** `links.pdf`, the second choice. */
  linkedPdf: string | null;
  sha256: string | null;
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
