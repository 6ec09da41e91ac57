/** Any other word of the service is `unknown`: unsettled, logged once and polled to the deadline. */
export const issuanceStates = ['queued', 'processing', 'completed', 'failed'] as const;
export type IssuanceState = (typeof issuanceStates)[number] | 'unknown';

export interface IssuanceResult {
  /** `classificacao` unchanged: its values are not documented, so it never counts as "clean". */
  classification: string | null;
  divergent: boolean | null;
  officialName: string | null;
  baseName: string | null;
  holderName: string | null;
  sourceName: string | null;
  capturedAt: string | null;
}

export interface ReportedFields extends IssuanceResult {
  completedAt: string | null;
  pdfKey: string | null;
  sha256: string | null;
  errorCode: string | null;
  errorCategory: string | null;
  errorMessage: string | null;
  retryable: boolean | null;
}

export function isSettled(state: IssuanceState): boolean {
  return state === 'completed' || state === 'failed';
}
