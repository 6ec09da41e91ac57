import {
  defineSearchAttributeKey,
  type SearchAttributePair,
  type TypedSearchAttributes,
} from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { kindFacts, type JobEnd, type JobKind } from '../../domain/job';
import { searchAttributes as types, type WorkflowKind } from '../../domain/core/search-attributes';

/** Keys of the search attributes for the SDK. Shared with the starters. */
const kind = defineSearchAttributeKey('DiligenceKind', types.DiligenceKind);
const outcome = defineSearchAttributeKey('DiligenceOutcome', types.DiligenceOutcome);
const batch = defineSearchAttributeKey('DiligenceBatch', types.DiligenceBatch);
const service = defineSearchAttributeKey('DiligenceService', types.DiligenceService);
const attention = defineSearchAttributeKey(
  'DiligenceNeedsAttention',
  types.DiligenceNeedsAttention,
);

/** Attributes at start; they cost no event. */
export function attributesAtStart(
  workflowKind: WorkflowKind,
  jobId: string,
): SearchAttributePair[] {
  return [
    { key: kind, value: workflowKind },
    { key: batch, value: jobId },
    { key: service, value: serviceOf(workflowKind) },
    { key: attention, value: false },
  ];
}

function serviceOf(workflowKind: WorkflowKind): string {
  return kindFacts[workflowKind as JobKind]?.service ?? 'investigation';
}

/** The job of a workflow; null when its attributes name none. */
export function jobIdOf(attributes: TypedSearchAttributes): string | null {
  return attributes.get(batch) ?? null;
}

/** The last reported value, also of the previous execution. */
export function needsAttentionNow(): boolean {
  return workflowInfo().typedSearchAttributes.get(attention) ?? false;
}

/** One event for each change, none otherwise. */
export function reportAttention(needed: boolean): void {
  if (needsAttentionNow() !== needed) upsertSearchAttributes([{ key: attention, value: needed }]);
}

/** Reports how the job ended; one event. */
export function reportEnd({ status, needsAttention: needed }: JobEnd): void {
  upsertSearchAttributes([
    { key: outcome, value: status },
    { key: attention, value: needed },
  ]);
}
