import type { AuditEntry } from '../core/audit';
import { anotherAnalysisCode } from './analyze';
import type { CreatedLens, LensOutcome, LensRecord } from './analyze';

/** The service created an analysis. A repetition with the same key is the same entry. */
export function lensRequestEntry(
  { analysisId, at }: CreatedLens,
  { jobId, name, createdBy: by }: LensRecord,
  attempt: number,
): AuditEntry {
  return {
    kind: 'request',
    id: `request/lens/${name}/${attempt}`,
    result: 'accepted',
    by,
    happenedAt: new Date(at).toISOString(),
    job: jobId,
    details: { analysisId, attempt },
  };
}

/** The service created another analysis for a known key. */
export function lensAnotherEntry(
  { analysisId, at }: CreatedLens,
  { jobId, name, createdBy: by }: LensRecord,
  attempt: number,
): AuditEntry {
  return {
    kind: 'request',
    id: `request/lens/${name}/${attempt}/another`,
    result: anotherAnalysisCode,
    by,
    happenedAt: new Date(at).toISOString(),
    job: jobId,
    details: { analysisId, attempt },
  };
}

/** The upload did not arrive in time: another analysis replaces it. */
export function lensReplacedEntry(
  analysisId: string,
  { jobId, name, createdBy: by }: LensRecord,
  attempt: number,
  at: number,
): AuditEntry {
  return {
    kind: 'request',
    id: `request/lens/${name}/${attempt}`,
    result: 'upload_expired',
    by,
    happenedAt: new Date(at).toISOString(),
    job: jobId,
    details: { analysisId, attempt },
  };
}

export function lensOutcomeEntry(
  { jobId, status, seen, analysisId, files, replaced, settledAt }: LensOutcome,
  by: string,
): AuditEntry {
  return {
    kind: 'outcome',
    id: `outcome/${jobId}`,
    result: status,
    by,
    happenedAt: settledAt,
    job: jobId,
    ...(seen?.sha256 != null && { sha256: seen.sha256 }),
    details: {
      ...(analysisId !== null && { analysisId }),
      ...(replaced.length > 0 && { replaced: replaced.length }),
      ...(files !== null && { stored: files.stored.length, notStored: files.notStored.length }),
    },
  };
}
