import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { StatusCounts } from '../domain/certificates';
import { gravestAnalysis, type AnalysisCounts } from '../domain/credit/batch';
import type { AnalysisStatus } from '../domain/credit/work';
import { needsAttention, type SweepOutcome } from '../domain/monitors/sweep';
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

/** Says how an analysis ended; one event. */
export function tellAnalysisEnd(status: AnalysisStatus): void {
  upsertSearchAttributes([
    { key: outcome, value: status },
    { key: attention, value: status !== 'completed' && status !== 'cancelled' },
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
