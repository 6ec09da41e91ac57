import type { AnalysisSummary } from './analysis';
import type { ResultFilter } from './operation';

/** One analysis of one file, as it was asked for: the input of the job in `analyses/<name>/<instant>`. */
export interface AnalysisRecord {
  /** `credit/<name>/<instant>`. */
  jobId: string;
  /** Keyed name of (file, XMLs, engine as the person gave it): the same command is the same job. */
  name: string;
  /**
   * Keyed name of (file, XMLs, id of the engine): what is bought, and the claims are about. Null until the
   * job has asked which engine a name means.
   */
  fence: string | null;
  cnab: StoredInput;
  xmls: StoredInput | null;
  engineId: string | null;
  /** As the person gave it. */
  engine: string | null;
  /** It is ordered anew on purpose. */
  rerun?: boolean;
  filter: ResultFilter;
  /** Keyed name of the assignor's document; null or absent when the file does not tell it. */
  assignor?: string | null;
  /** Counted by the local scan. */
  receivables: number;
  totalCents: string;
  /** Why a file with findings that refuse it was sent all the same; null when it had none. */
  forced: string | null;
  label?: string | null;
  /** Milliseconds from its start to its outcome; of a batch: as the batch has it. */
  deadlineMs?: number;
  createdAt: string;
  createdBy: string;
}

export interface StoredInput {
  /** Without folders, as it is sent. */
  name: string;
  sha256: string;
  bytes: number;
  /** Of the large object that holds the bytes as they came. */
  key: string;
}

/** What workflow and activities hand each other about an analysis: small, and nobody's data. */
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
  /** The last status word of the service; null when none was told. */
  statusWord: string | null;
  error: { code: string | null; message: string } | null;
  result: AnalysisResultRef | null;
  /** An earlier decision about the same file may be charged too. */
  possibleDoubleCharge: boolean;
  /** What the service told was here, and was erased. */
  erased?: true;
  startedAt: string;
  settledAt: string;
}

/** Both results on file, and what stands in them. */
export interface AnalysisResultRef {
  /** Keys of large objects. */
  issuesKey: string;
  allKey: string;
  engineId: string | null;
  summary: AnalysisSummary;
  /** What in the tree does not agree with itself, or with what was asked: sentences. */
  contradictions: string[];
}

/** What is to be done about a request after one activity. */
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
  /** It never can be: what was stored is not there, or not as it was. */
  | { kind: 'spoilt'; message: string }
  /** Its job is cancelled: nothing is sent any more. */
  | { kind: 'stopped' }
  | {
      kind: 'unsent';
      why: 'credentials' | 'service' | 'another job' | 'store' | 'fault';
      /** Epoch milliseconds of the next try. */
      notBefore: number;
      /** The time to send it is over, by the clock of the worker: no other try would be made. */
      isOver?: true;
    };

export type Unsent = Extract<RequestAnswer, { kind: 'unsent' }>;

/** An operation as it was read last. */
export type OperationSeen =
  | { kind: 'unsettled'; statusWord: string | null }
  /** The result of issues is stored. */
  | { kind: 'ready'; statusWord: string | null }
  | { kind: 'failed'; statusWord: string | null; code: string | null; message: string };

/** Which engine a name means, stored once for a job. */
export type ChosenEngine = { engineId: string; fence: string };

/** What came of the choice. */
export type EngineChosen =
  | { kind: 'chosen' }
  /** Nothing can be sent. */
  | { kind: 'refused'; code: string; message: string };

/** What an analysis is of: to be named by a key. @param engine '': the service chooses */
export function analysisText(
  { cnab, xmls }: { cnab: { sha256: string }; xmls: { sha256: string } | null },
  engine: string,
): string {
  return ['credit', cnab.sha256, xmls?.sha256 ?? '', engine].join('\n');
}

export function analysisFolder(jobId: string): string {
  return jobId.replace(/^credit\//, 'analyses/');
}

/** The workflow that drives an analysis: one for all the times that the same thing is asked for. */
export function analysisWorkflowId(name: string): string {
  return `credit/${name}`;
}
