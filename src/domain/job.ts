import { gravestAnalysis, type AnalysisCounts } from './credit/batch';
import type { AnalysisStatus } from './credit/work';
import type { StatusCounts } from './certificates/certificates';
import type { DossierOutcome } from './dossiers/follow';
import type { DossierBatchOutcome } from './dossiers/retry-batch';
import { gravestInquiry, isDone } from './core/inquiry-batch';
import { lensNeedsAPerson, type LensOutcome } from './lens/analyze';
import { profileNeedsAPerson, type ProfileStatus } from './profiles/lookup';
import { gravestStatus, needsAPerson } from './core/search-attributes';
import type { TraceOutcome } from './traces/search';

/** A job: a piece of work that somebody asked for. */

export const jobKinds = [
  'certificate',
  'certificate-batch',
  'decision',
  'credit-analysis',
  'credit-batch',
  'profile',
  'profile-batch',
  'trace',
  'trace-batch',
  'lens',
  'dossier',
  'dossier-batch',
] as const;
export type JobKind = (typeof jobKinds)[number];

export interface JobStart {
  id: string;
  kind: JobKind;
  /** ISO 8601. */
  createdAt: string;
  /** Keyed name of its label; null when it has none. */
  label: string | null;
}

/** Why a job sends nothing more: a person's word. */
export type StopWord = 'paused' | 'cancelled';

/** How a job ended, in one word, and whether a person must see to it. */
export interface JobEnd {
  status: string;
  needsAttention: boolean;
}

/** The end of a job, as lists show it. */
export interface JobEnding extends JobEnd {
  /** ISO 8601. */
  endedAt: string;
}

/** Of a batch of certificates, of one, or of a decision about rows. */
export function certificateEnd(counts: StatusCounts): JobEnd {
  return { status: gravestStatus(counts), needsAttention: needsAPerson(counts) };
}

export function analysisEnd(status: AnalysisStatus): JobEnd {
  return { status, needsAttention: status !== 'completed' && status !== 'cancelled' };
}

export function creditBatchEnd(counts: AnalysisCounts): JobEnd {
  const status = gravestAnalysis(counts);
  return { status, needsAttention: status !== 'completed' && status !== 'cancelled' };
}

/** @param linesAtFault of its file, which were not asked for */
export function inquiryBatchEnd(
  counts: Partial<Record<string, number>>,
  linesAtFault: number,
): JobEnd {
  const status = gravestInquiry(counts, linesAtFault);
  return { status, needsAttention: !isDone(status) };
}

export function dossierEnd({ possibleAttempt, status }: DossierOutcome): JobEnd {
  const isOpen = status === 'expired' || status === 'needs_review';
  return { status, needsAttention: isOpen || possibleAttempt };
}

export function dossierBatchEnd({ items, status }: DossierBatchOutcome): JobEnd {
  const isFine = items.every(
    (one) => (one.status === 'completed' || one.status === 'cancelled') && !one.possibleAttempt,
  );
  return { status, needsAttention: status === 'expired' || !isFine };
}

export function profileEnd(status: ProfileStatus): JobEnd {
  return { status, needsAttention: profileNeedsAPerson(status) };
}

export function lensEnd(outcome: LensOutcome): JobEnd {
  return { status: outcome.status, needsAttention: lensNeedsAPerson(outcome) };
}

export function traceEnd({ status }: TraceOutcome): JobEnd {
  return { status, needsAttention: status === 'expired' || status === 'unknown_outcome' };
}
