import type { AnalysisSummary } from './analysis';
import type { ResultFilter } from './operation';

/** One analysis of one file as requested: the input of a job, in `analyses/<name>/<instant>`. */
export interface AnalysisRecord {
  /** `credit/<name>/<instant>`. */
  jobId: string;
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
  /** As entered. */
  engine: string | null;
  /** `--rerun`: a new paid order. */
  rerun?: boolean;
  filter: ResultFilter;
  /** Keyed name of the assignor's document; null or absent: the file does not have it. */
  assignor?: string | null;
  /** Counted by the local scan. */
  receivables: number;
  totalCents: string;
  /** Why a file with blocking findings was sent; null: it had none. */
  forced: string | null;
  label?: string | null;
  /** Milliseconds from start to outcome; in a batch, that of the batch. */
  deadlineMs?: number;
  createdAt: string;
  createdBy: string;
}

export interface StoredInput {
  /** File name as sent, without folders. */
  name: string;
  sha256: string;
  bytes: number;
  /** Of the large object with the original bytes. */
  key: string;
}

/** Names an analysis in workflow and activities: no personal data. */
export interface AnalysisRef {
  jobId: string;
  folder: string;
}

export const analysisStatuses = [
  'completed',
  'failed',
  'refused',
  'expired',
  'unknown_outcome',
  'cancelled',
] as const;
export type AnalysisStatus = (typeof analysisStatuses)[number];

/** How an analysis ended: the outcome of its job, and the result of its workflow. */
export interface AnalysisOutcome {
  jobId: string;
  status: AnalysisStatus;
  operationId: string | null;
  /** The last status word of the service; null: none. */
  statusWord: string | null;
  error: { code: string | null; message: string } | null;
  result: AnalysisResultRef | null;
  /** An earlier decision about the same file may be charged too. */
  possibleDoubleCharge: boolean;
  /** Held data of the service, which has been erased. */
  erased?: true;
  startedAt: string;
  settledAt: string;
}

/** Both stored results, and a summary. */
export interface AnalysisResultRef {
  /** Keys of large objects. */
  issuesKey: string;
  allKey: string;
  engineId: string | null;
  summary: AnalysisSummary;
  /** Where the tree contradicts itself or the request: sentences. */
  contradictions: string[];
}

/** State of a request after one activity. */
export type RequestAnswer =
  | {
      kind: 'accepted';
      operationId: string;
      /** Epoch milliseconds. */
      acceptedAt: number;
      afterUnknown: boolean;
    }
  | { kind: 'refused'; code: string | null; message: string; wasSent: boolean }
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

/** An operation as last read. */
export type OperationSeen =
  | { kind: 'unsettled'; statusWord: string | null }
  /** The result of issues is stored. */
  | { kind: 'ready'; statusWord: string | null }
  | { kind: 'failed'; statusWord: string | null; code: string | null; message: string };

/** The engine that a name means, stored once for a job. */
export type ChosenEngine = { engineId: string; fence: string };

/** Result of the choice. */
export type EngineChosen =
  | { kind: 'chosen' }
  /** Nothing can be sent. */
  | { kind: 'refused'; code: string; message: string };

/** Identity of an analysis, to be hashed with a key. @param engine '': the service chooses */
export function analysisText(
  { cnab, xmls }: { cnab: { sha256: string }; xmls: { sha256: string } | null },
  engine: string,
): string {
  return ['credit', cnab.sha256, xmls?.sha256 ?? '', engine].join('\n');
}

export function analysisFolder(jobId: string): string {
  return jobId.replace(/^credit\//, 'analyses/');
}

/** The workflow that drives an analysis: one for all jobs with the same name. */
export function analysisWorkflowId(name: string): string {
  return `credit/${name}`;
}
