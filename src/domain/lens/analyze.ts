import type { ArtifactFiles } from '../core/artifact';
import { jobOutcomeEntry, jobRequestEntry, type AuditEntry } from '../core/audit';
import type { JobError, JobInput, OutcomeFields } from '../core/job-record';
import type { Billing } from '../core/service/billing-totals';
import type { LensStatus } from './kinds';

export const lensModes = ['geo', 'face'] as const;
export type LensMode = (typeof lensModes)[number];

export const lensStates = [
  'awaiting_upload',
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
  'expired',
] as const;
export type LensState = (typeof lensStates)[number];

export interface LensRecord extends JobInput {
  /** Keyed name of file, mode and rerun id: the same name is the same analysis. */
  name: string;
  file: LensInput;
  /** Null: not sent, the service chooses. */
  mode: LensMode | null;
  /** Why a person sends it although it is no picture or video; null: it is one. */
  forced: string | null;
}

export interface LensInput {
  /** Original name; may be personal. */
  fileName: string;
  bytes: number;
  sha256: string;
  /** Detected from its content; not sent. */
  mediaType: string;
  key: string;
}

export interface CreatedLens {
  analysisId: string;
  at: number;
  billing: Billing | null;
}

export type SubmittedLens =
  | { kind: 'submitted'; analysisId: string; state: string }
  /** The upload did not arrive in time: the analysis has no result. */
  | { kind: 'upload_expired'; analysisId: string; billing: Billing | null }
  | ({ kind: 'upload_refused'; analysisId: string; billing: Billing | null } & JobError)
  /** The repeated key is refused and its analysis is unknown, or the key created more than one. */
  | ({ kind: 'unknown' } & JobError);

export interface LensSeen {
  analysisId: string;
  state: LensState | 'unknown';
  statusWord: string | null;
  mode: string | null;
  hasResult: boolean;
  artifacts: number;
  billing: Billing | null;
  sha256: string | null;
  failure: JobError | null;
}

export interface ReplacedLens {
  attempt: number;
  analysisId: string;
  billing: Billing | null;
}

export interface LensOutcome extends OutcomeFields<LensStatus> {
  seen: LensSeen | null;
  billing: Billing | null;
  /** The last one; null: none was created, or it is unknown. */
  analysisId: string | null;
  replaced: ReplacedLens[];
  /** Null: it did not settle. */
  files: ArtifactFiles | null;
}

/** Replacements of analyses whose upload expired, in one job. */
export const mostReplacements = 2;

/** New analyses of one request after the service let one expire whose file was uploaded. */
export const mostAfterExpiry = 2;

export const uploadExpiredCode = 'upload_expired';
export const anotherAnalysisCode = 'another_analysis';
export const addressRefusedCode = 'address_refused';
export const noInstructionsCode = 'no_upload_instructions';

export function lensKey(name: string, attempt: number): string {
  return `diligence-lens-${name}-${attempt}`;
}

/** Identity of the purchase. @param rerun id of a deliberate new order; null: the first */
export function lensManifest(sha256: string, mode: LensMode | null, rerun: string | null): string {
  return JSON.stringify(['lens', sha256, mode, rerun]);
}

/**
 * Whether a new request would bring nothing new: the service answers a known key as before.
 * @param expired analyses of this request that the service let expire although their file was uploaded
 */
export function lensIsFinal({ files, status, seen }: LensOutcome, expired: number): boolean {
  // An artifact whose address we refused can be fetched once the address is allowed.
  if (files?.notStored.some(({ isRefused }) => isRefused === true) === true) return false;
  if (status === 'completed' || status === 'failed') return true;
  if (status === 'expired' && seen?.state === 'expired') return expired > mostAfterExpiry;
  return status === 'cancelled' && seen?.state === 'cancelled';
}

export function isLensSettled(state: LensSeen['state']): boolean {
  return ['completed', 'failed', 'cancelled', 'expired'].includes(state);
}

/** Upper bound of an upload in milliseconds: at 100 kB a second, plus one minute. */
export function uploadTimeoutMs(bytes: number): number {
  return Math.min(25 * 60_000, 60_000 + Math.ceil(bytes / 100));
}

/**
 * A request that created an analysis. A repetition with the same key is the same entry, unless the service created
 * another one (`another_analysis`); `upload_expired`: its upload did not arrive in time, and another one replaces it.
 */
export function lensRequestEntry(
  result: 'accepted' | typeof anotherAnalysisCode | typeof uploadExpiredCode,
  { analysisId, at }: Pick<CreatedLens, 'analysisId' | 'at'>,
  record: LensRecord,
  attempt: number,
): AuditEntry {
  const another = result === anotherAnalysisCode ? '/another' : '';
  const id = `request/lens/${record.name}/${attempt}${another}`;
  return jobRequestEntry(id, result, at, record, { details: { analysisId, attempt } });
}

export function lensOutcomeEntry(outcome: LensOutcome, record: LensRecord): AuditEntry {
  const { seen, analysisId, files, replaced } = outcome;
  const details = {
    ...(analysisId !== null && { analysisId }),
    ...(replaced.length > 0 && { replaced: replaced.length }),
    ...(files !== null && { stored: files.stored.length, notStored: files.notStored.length }),
  };
  return jobOutcomeEntry(outcome, record, seen?.sha256 ?? null, { details });
}
