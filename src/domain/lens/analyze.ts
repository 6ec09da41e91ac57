import type { ArtifactFiles } from '../core/artifact';
import type { Billing } from '../core/service/billing';
import type { LensAnalysis, LensMode } from './lens-analysis';

/** One analysis, as it was asked for: the input of the job in `lens/<name>/<instant>`. */
export interface LensRecord {
  /** `lens/<name>/<instant>`. */
  jobId: string;
  /** Keyed name of file and mode, and of the order: the same name is the same analysis. */
  name: string;
  file: LensInput;
  /** Null: not sent, the service chooses. */
  mode: LensMode | null;
  label: string | null;
  /** Why a person has it sent although it is no picture or video; null: it is one. */
  forced: string | null;
  /** Ordered anew on purpose. */
  rerun?: boolean;
  /** Milliseconds from its start to its outcome. */
  deadlineMs?: number;
  createdAt: string;
  createdBy: string;
}

/** The file as it was read; its copy in the store is what is sent. */
export interface LensInput {
  /** As it was called; may be personal. */
  fileName: string;
  bytes: number;
  /** 64 hex digits. */
  sha256: string;
  /** By its content, for our records alone: it is not sent. */
  mediaType: string;
  /** Of the copy, a large object. */
  key: string;
}

/** What workflow and activities hand each other about an analysis: nobody's data. */
export interface LensRef {
  jobId: string;
  folder: string;
}

/** The analysis that the service has made for a request. */
export interface CreatedLens {
  analysisId: string;
  at: number;
  /** As the answer told it. */
  billing: Billing | null;
}

/** What came of handing a file in. */
export type SubmittedLens =
  /** The bytes are there. */
  | { kind: 'submitted'; analysisId: string; state: string }
  /** They did not arrive in time: nothing will come of this analysis. */
  | { kind: 'upload_expired'; analysisId: string; billing: Billing | null }
  | {
      kind: 'upload_refused';
      analysisId: string;
      code: string | null;
      message: string;
      billing: Billing | null;
    }
  /**
   * The repeated key is refused, and which analysis it made nobody can tell; or it has made more
   * than one.
   */
  | { kind: 'unknown'; code: string | null; message: string };

export const lensStatuses = [
  'completed',
  'failed',
  /** By the service, or the person no longer waits. */
  'cancelled',
  'refused',
  /** At the deadline, by the service, or since no upload arrived in time. */
  'expired',
  /** A request may have arrived, and nobody knows which analysis it made. */
  'unknown_outcome',
] as const;
export type LensStatus = (typeof lensStatuses)[number];

/** What was seen of the analysis when it settled, or last. */
export interface LensSeen {
  analysisId: string;
  state: LensAnalysis['state'];
  /** The service's own word. */
  statusWord: string | null;
  mode: string | null;
  hasResult: boolean;
  artifacts: number;
  billing: Billing | null;
  /** Of `answer.json`; null when it is not on file. */
  sha256: string | null;
  failure: { code: string | null; message: string } | null;
}

/** An analysis to which no upload arrived in time: another one took its place. */
export interface ReplacedLens {
  attempt: number;
  analysisId: string;
  /** As it was told last. */
  billing: Billing | null;
}

/** How an analysis ended: the outcome of its job, and the result of its workflow. */
export interface LensOutcome {
  jobId: string;
  status: LensStatus;
  seen: LensSeen | null;
  /** Of the analysis, as it was told last; null: nothing was. */
  billing: Billing | null;
  /** The last one made; null: nothing was made, or nobody knows. */
  analysisId: string | null;
  /** Before it, in order. */
  replaced: ReplacedLens[];
  /** Null: it was not seen to its end. */
  files: ArtifactFiles | null;
  error: { code: string | null; message: string } | null;
  startedAt: string;
  settledAt: string;
  /** What the service told was here, and was erased. */
  erased?: true;
}

/** Analyses made in place of one whose upload expired, within one work. */
export const mostReplacements = 2;

/** Analyses of one ask that are made after the service let one expire that had its file. */
export const mostAfterExpiry = 2;

export const uploadExpiredCode = 'upload_expired';
export const anotherAnalysisCode = 'another_analysis';
export const addressRefusedCode = 'address_refused';
export const noInstructionsCode = 'no_upload_instructions';

export function lensWorkflowId(name: string): string {
  return `lens/${name}`;
}

/** The id of a work is its folder too. */
export function lensFolder(jobId: string): string {
  return jobId;
}

/** The same for every send of one attempt of one ask. */
export function lensKey(name: string, attempt: number): string {
  return `diligence-lens-${name}-${attempt}`;
}

/** What is bought: the same is the same analysis. @param rerun another order of it, on purpose; null: the first */
export function lensManifest(sha256: string, mode: LensMode | null, rerun: string | null): string {
  return JSON.stringify(['lens', sha256, mode, rerun]);
}

/**
 * Whether asking again would bring nothing else: the service answers a known key as before.
 *
 * @param expired analyses of this ask that the service let expire although they had their file
 */
export function lensIsFinal({ files, status, seen }: LensOutcome, expired: number): boolean {
  // What was not fetched because we refused its address is fetched once that is allowed.
  if (files?.notStored.some(({ isRefused }) => isRefused === true) === true) return false;
  if (status === 'completed' || status === 'failed') return true;
  if (status === 'expired' && seen?.state === 'expired') return expired > mostAfterExpiry;
  return status === 'cancelled' && seen?.state === 'cancelled';
}

export function isLensSettled(state: LensSeen['state']): boolean {
  return ['completed', 'failed', 'cancelled', 'expired'].includes(state);
}

/** Nobody waits longer than this for an upload: milliseconds, at 100 kB a second and a minute more. */
export function uploadTimeoutMs(bytes: number): number {
  return Math.min(25 * 60_000, 60_000 + Math.ceil(bytes / 100));
}
