import {
  defineSearchAttributeKey,
  type SearchAttributePair,
  type TypedSearchAttributes,
} from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { StatusCounts } from '../domain/certificates';
import { gravestAnalysis, type AnalysisCounts } from '../domain/credit/batch';
import type { AnalysisStatus } from '../domain/credit/work';
import { gravestInquiry, isDone } from '../domain/inquiry-batch';
import { needsAttention, type SweepOutcome } from '../domain/monitors/sweep';
import type { DossierOutcome } from '../domain/dossiers/follow';
import type { DossierBatchOutcome } from '../domain/dossiers/retry-batch';
import { lensNeedsAPerson, type LensOutcome } from '../domain/lens/analyze';
import { profileNeedsAPerson, type ProfileStatus } from '../domain/profiles/lookup';
import type { TraceOutcome } from '../domain/traces/search';
import { watchNeedsAttention, watchStatus, type WatchOutcome } from '../domain/monitors/watch';
import {
  gravestStatus,
  needsAPerson,
  searchAttributes as types,
  type WorkflowKind,
} from '../domain/search-attributes';

/** The search attributes as the SDK takes them. Shared with the starters. */
const kind = defineSearchAttributeKey('DiligenceKind', types.DiligenceKind);
const outcome = defineSearchAttributeKey('DiligenceOutcome', types.DiligenceOutcome);
const batch = defineSearchAttributeKey('DiligenceBatch', types.DiligenceBatch);
const service = defineSearchAttributeKey('DiligenceService', types.DiligenceService);
const attention = defineSearchAttributeKey(
  'DiligenceNeedsAttention',
  types.DiligenceNeedsAttention,
);

/** What a workflow is started with; none of them costs an event. */
export function attributesAtStart(
  workflowKind: WorkflowKind,
  workId: string,
): SearchAttributePair[] {
  return [
    { key: kind, value: workflowKind },
    { key: batch, value: workId },
    { key: service, value: workflowKind.startsWith('credit') ? 'credit' : 'investigation' },
    { key: attention, value: false },
  ];
}

/** The work that a workflow was started for; null when it does not say. */
export function workIdOf(attributes: TypedSearchAttributes): string | null {
  return attributes.get(batch) ?? null;
}

/** Says whether a person is needed for it to go on. One event for each change, none otherwise. */
export function tellAttention(needed: boolean): void {
  const told = workflowInfo().typedSearchAttributes.get(attention) ?? false;
  if (told !== needed) upsertSearchAttributes([{ key: attention, value: needed }]);
}

/** Says how the work ended; one event. */
export function tellEnd(counts: StatusCounts): void {
  upsertSearchAttributes([
    { key: outcome, value: gravestStatus(counts) },
    { key: attention, value: needsAPerson(counts) },
  ]);
}

/** Says how a batch of analyses ended; one event. */
export function tellBatchEnd(counts: AnalysisCounts): void {
  const gravest = gravestAnalysis(counts);
  upsertSearchAttributes([
    { key: outcome, value: gravest },
    { key: attention, value: gravest !== 'completed' && gravest !== 'cancelled' },
  ]);
}

/** Says how a batch of searches or lookups ended; one event. */
export function tellInquiryBatchEnd(
  counts: Partial<Record<string, number>>,
  linesAtFault: number,
): void {
  const gravest = gravestInquiry(counts, linesAtFault);
  upsertSearchAttributes([
    { key: outcome, value: gravest },
    { key: attention, value: !isDone(gravest) },
  ]);
}

/** Says how an analysis ended; one event. */
export function tellAnalysisEnd(status: AnalysisStatus): void {
  upsertSearchAttributes([
    { key: outcome, value: status },
    { key: attention, value: status !== 'completed' && status !== 'cancelled' },
  ]);
}

/** Says how following a dossier ended; one event. */
export function tellDossierEnd({ possibleAttempt, status }: DossierOutcome): void {
  const isOpen = status === 'expired' || status === 'needs_review' || possibleAttempt;
  upsertSearchAttributes([
    { key: outcome, value: status },
    { key: attention, value: isOpen },
  ]);
}

/** Says how retries of many dossiers ended; one event. */
export function tellDossierBatchEnd({ items, status }: DossierBatchOutcome): void {
  const isFine = items.every(
    (one) => (one.status === 'completed' || one.status === 'cancelled') && !one.possibleAttempt,
  );
  upsertSearchAttributes([
    { key: outcome, value: status },
    { key: attention, value: status === 'expired' || !isFine },
  ]);
}

/** Says how a lookup of a profile ended; one event. */
export function tellProfileEnd(status: ProfileStatus): void {
  upsertSearchAttributes([
    { key: outcome, value: status },
    { key: attention, value: profileNeedsAPerson(status) },
  ]);
}

/** Says how an analysis of a file ended; one event. */
export function tellLensEnd(ended: LensOutcome): void {
  upsertSearchAttributes([
    { key: outcome, value: ended.status },
    { key: attention, value: lensNeedsAPerson(ended) },
  ]);
}

/** Says how a search ended; one event. */
export function tellTraceEnd({ status }: TraceOutcome): void {
  upsertSearchAttributes([
    { key: outcome, value: status },
    { key: attention, value: status === 'expired' || status === 'unknown_outcome' },
  ]);
}

/** Says how a pass over a monitor ended; one event. */
export function tellSweepEnd(sweep: SweepOutcome): void {
  upsertSearchAttributes([
    { key: outcome, value: sweep.status },
    { key: attention, value: needsAttention(sweep) },
  ]);
}

/** Says how a pass over many monitors ended; one event. */
export function tellWatchEnd(watch: WatchOutcome): void {
  upsertSearchAttributes([
    { key: outcome, value: watchStatus(watch) },
    { key: attention, value: watchNeedsAttention(watch) },
  ]);
}
