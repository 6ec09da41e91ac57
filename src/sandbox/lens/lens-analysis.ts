/** One analysis: what it will be is fixed when it is created; uploads and the clock reveal it. */

import { drawDuration, seededUuid } from '../chance';
import type { LensEnding, LensFileScript, LensScenario } from './lens-scenario';

export type LensStatus =
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
  waitingMs: number;
  processingMs: number;
  /** The file as it arrived; null before that. `bytes` is null when it is too large to keep. */
  arrived: { at: number; mediaType: string; bytes: Buffer | null } | null;
  /** When the work was asked for: with the file, or by a submission. */
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

export function createAnalysis({
  seed,
  ofFile,
  mode,
  file,
  ending,
  script,
  scenario: { timing, uploadMs },
  at,
}: {
  seed: number;
  /** Which analysis of this file, from 1. */
  ofFile: number;
  mode: LensAnalysis['mode'];
  file: LensAnalysis['file'];
  ending: LensEnding;
  script: LensFileScript | undefined;
  scenario: Pick<LensScenario, 'timing' | 'uploadMs'>;
  at: number;
}): LensAnalysis {
  const words = [seed, 'lens', file.sha256, ofFile];
  const range = { waitingMs: timing.waitingMs, processingMs: timing.processingMs };
  const { waitingMs = range.waitingMs, processingMs = range.processingMs } = script ?? {};
  return {
    id: seededUuid(words.join('|')),
    mode,
    file,
    ending,
    script,
    createdAt: at,
    uploadUntil: at + uploadTime(script?.uploadMs ?? uploadMs, ofFile),
    waitingMs: drawDuration(waitingMs, timing.distribution, ...words, 'waiting'),
    processingMs: drawDuration(processingMs, timing.distribution, ...words, 'processing'),
    arrived: null,
    submittedAt: null,
  };
}

function uploadTime(times: number | number[], ofFile: number): number {
  if (typeof times === 'number') return times;
  return times[ofFile - 1] ?? times.at(-1) ?? 0;
}

/** Instants of the work; infinite while nobody asked for it, or when it never ends. */
export function workOf(analysis: LensAnalysis): { startsAt: number; endsAt: number } {
  const { ending, processingMs, submittedAt, waitingMs } = analysis;
  const startsAt = submittedAt === null ? Number.POSITIVE_INFINITY : submittedAt + waitingMs;
  return {
    startsAt,
    endsAt: ending === 'never_settles' ? Number.POSITIVE_INFINITY : startsAt + processingMs,
  };
}

export function analysisStatusAt(analysis: LensAnalysis, now: number): LensStatus {
  if (analysis.submittedAt === null) {
    return now >= analysis.uploadUntil ? 'expired' : 'awaiting_upload';
  }
  const { startsAt, endsAt } = workOf(analysis);
  if (now >= endsAt) return settledAs[analysis.ending];
  return now < startsAt ? 'queued' : 'running';
}

/** The instant it settled or will settle. */
export function analysisSettlesAt(analysis: LensAnalysis): number {
  return analysis.submittedAt === null ? analysis.uploadUntil : workOf(analysis).endsAt;
}
