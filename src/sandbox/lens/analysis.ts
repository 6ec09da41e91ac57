/** One analysis: what it will be is fixed when it is created; uploads and the clock reveal it. */

import { statusOf, type Work } from '../core/work';
import type { LensEnding, LensFileScript, LensScenario } from './lens-scenario';

type LensStatus =
  'awaiting_upload' | 'queued' | 'running' | 'completed' | 'failed' | 'cancelled' | 'expired';

export interface LensAnalysis {
  id: string;
  mode: 'geo' | 'face';
  file: { sizeBytes: number; sha256: string };
  ending: LensEnding;
  script: LensFileScript | undefined;
  /** Instants, in milliseconds. */
  createdAt: number;
  uploadUntil: number;
  /** The file as it arrived; null before that. `bytes` is null when it is too large to keep. */
  arrived: { at: number; mediaType: string; bytes: Buffer | null } | null;
  /** The work as it would go if it were asked for at 0. */
  work: Work<LensEnding>;
  /** When it was asked for: with the file, or by a submission. */
  submittedAt: number | null;
}

const settledAs: Record<LensEnding, LensStatus> = {
  completed: 'completed',
  no_result: 'completed',
  no_artifacts: 'completed',
  failed: 'failed',
  failure_retryable: 'failed',
  failure_permanent: 'failed',
  cancelled: 'cancelled',
  expired: 'expired',
  never_settles: 'running',
};

/** The time for the upload of the nth analysis of a file, from 1. */
export function uploadTime(
  script: LensFileScript | undefined,
  { uploadMs }: Pick<LensScenario, 'uploadMs'>,
  ofFile: number,
): number {
  const times = script?.uploadMs ?? uploadMs;
  if (typeof times === 'number') return times;
  return times[ofFile - 1] ?? times.at(-1) ?? 0;
}

/** The work itself; its instants are infinite while nobody asked for it. */
export function workOf({ submittedAt, work }: LensAnalysis): Work<LensEnding> {
  const from = submittedAt ?? Number.POSITIVE_INFINITY;
  return {
    ...work,
    createdAt: from,
    startsAt: from + work.startsAt,
    endsAt: from + work.endsAt,
  };
}

export function analysisStatusAt(analysis: LensAnalysis, now: number): LensStatus {
  if (analysis.submittedAt === null) {
    return now >= analysis.uploadUntil ? 'expired' : 'awaiting_upload';
  }
  return statusOf<LensEnding, LensStatus>(workOf(analysis), now, ['queued', 'running'], settledAs);
}

/** The instant it settled or will settle. */
export function analysisSettlesAt(analysis: LensAnalysis): number {
  return analysis.submittedAt === null ? analysis.uploadUntil : workOf(analysis).endsAt;
}
