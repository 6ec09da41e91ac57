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
  /** Null before it was asked for: with the file, or by a submission. */
  work: Work<LensEnding> | null;
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

export function analysisStatusAt({ uploadUntil, work }: LensAnalysis, now: number): LensStatus {
  if (work === null) return now >= uploadUntil ? 'expired' : 'awaiting_upload';
  return statusOf<LensEnding, LensStatus>(work, now, ['queued', 'running'], settledAs);
}

/** The instant it settled or will settle. */
export const analysisSettlesAt = ({ uploadUntil, work }: LensAnalysis): number =>
  work?.endsAt ?? uploadUntil;
