import {
  codeOf,
  jobOutcomeEntry,
  jobRequestEntry,
  receiptDetails,
  type AuditEntry,
} from '../core/audit';
import type { Attempt } from '../core/service/attempts';
import type { JobError, JobInput, OutcomeFields } from '../core/job-record';
import type { AnalysisSummary } from './analysis';
import type { AnalysisStatus } from './kinds';

/** `issues`: only blocked and alerted entities; `all`: the complete tree (specification: "Rules"). */
export const resultFilters = ['issues', 'all'] as const;
export type ResultFilter = (typeof resultFilters)[number];

export interface AnalysisRecord extends JobInput {
  /** Keyed name of (file, XMLs, engine as entered): the same command is the same job. */
  name: string;
  /**
   * Keyed name of (file, XMLs, engine id): the purchase, and the subject of the claims. Null until the
   * job has looked up an engine given by name.
   */
  fence: string | null;
  cnab: StoredInput;
  xmls: StoredInput | null;
  engineId: string | null;
  engine: string | null;
  filter: ResultFilter;
  /** Keyed name of the assignor's document; null or absent: the file does not have it. */
  assignor?: string | null;
  receivables: number;
  totalCents: string;
  /** Why a file with blocking findings was sent; null: it had none. */
  forced: string | null;
}

export interface StoredInput {
  /** File name as sent, without folders. */
  name: string;
  sha256: string;
  bytes: number;
  /** Of the large object with the original bytes. */
  key: string;
}

export interface AnalysisOutcome extends OutcomeFields<AnalysisStatus> {
  operationId: string | null;
  statusWord: string | null;
  result: AnalysisResultRef | null;
  /** An earlier decision about the same file may be charged too. */
  possibleDoubleCharge: boolean;
}

export interface AnalysisResultRef {
  issuesKey: string;
  allKey: string;
  engineId: string | null;
  summary: AnalysisSummary;
  /** Where the tree contradicts itself or the request: sentences. */
  contradictions: string[];
}

export type RequestAnswer =
  | {
      kind: 'accepted';
      operationId: string;
      /** Epoch milliseconds. */
      acceptedAt: number;
      afterUnknown: boolean;
    }
  | ({ kind: 'refused'; wasSent: boolean } & JobError)
  | { kind: 'unknown'; reason: string; afterUnknown: boolean }
  /** It can never be sent: the stored input is missing or altered. */
  | { kind: 'corrupt'; message: string }
  /** The job is cancelled: nothing more is sent. */
  | { kind: 'stopped' }
  | {
      kind: 'unsent';
      why: 'credentials' | 'service' | 'another job' | 'store' | 'fault';
      /** Epoch milliseconds of the next try. */
      notBefore: number;
      /** The worker's clock is past the time to send: no more tries. */
      isOver?: true;
    };

export type Unsent = Extract<RequestAnswer, { kind: 'unsent' }>;

export type OperationSeen =
  | { kind: 'unsettled'; statusWord: string | null }
  /** The result of issues is stored. */
  | { kind: 'ready'; statusWord: string | null }
  | ({ kind: 'failed'; statusWord: string | null } & JobError);

export type ChosenEngine = { engineId: string; fence: string };

export type EngineChosen = { kind: 'chosen' } | { kind: 'refused'; code: string; message: string };

export function analysisText(
  { cnab, xmls }: { cnab: { sha256: string }; xmls: { sha256: string } | null },
  engine: string,
): string {
  return ['credit', cnab.sha256, xmls?.sha256 ?? '', engine].join('\n');
}

/** Empty for a closed claim: nothing was sent. */
export function analysisRequestEntries(
  record: AnalysisRecord,
  { n, claim, receipt }: Omit<Attempt, 'resolution'>,
): AuditEntry[] {
  if (claim.kind === 'closed') return [];
  const accepted = receipt?.kind === 'accepted' && { operationId: receipt.externalId };
  const details = { ...accepted, ...receiptDetails(receipt) };
  const id = `request/credit/${record.fence ?? ''}/${n}`;
  const result = receipt?.kind ?? 'unknown';
  return [jobRequestEntry(id, result, claim.claimedAt, record, { details })];
}

export function analysisOutcomeEntry(
  outcome: AnalysisOutcome,
  record: AnalysisRecord,
  sha256: string | null,
): AuditEntry {
  const { jobId, operationId, possibleDoubleCharge, error } = outcome;
  const details = {
    ...(operationId !== null && { operationId }),
    ...(error !== null && { code: codeOf(error.code) }),
    ...(possibleDoubleCharge && { possibleDoubleCharge: true }),
  };
  const id = `outcome/${jobId}/${operationId ?? '-'}`;
  return { ...jobOutcomeEntry(outcome, record, sha256, { details }), id };
}
