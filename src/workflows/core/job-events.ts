import {
  CancelledFailure,
  ContinueAsNew,
  isCancellation,
  log,
  workflowInfo,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInterceptors,
} from '@temporalio/workflow';
import { searchAttributes as types } from '../../domain/core/search-attributes';
import { defineSearchAttributeKey } from '@temporalio/common';

/** Events of a job in the worker's log. */
export type JobEvent =
  | 'job started'
  | 'job ended'
  | 'job failed'
  | 'job paused'
  | 'job resumed'
  | 'job cancelled'
  | 'job resolved'
  | 'requests stopped'
  | 'requests resumed';

const job = defineSearchAttributeKey('DiligenceBatch', types.DiligenceBatch);
const kind = defineSearchAttributeKey('DiligenceKind', types.DiligenceKind);
const outcome = defineSearchAttributeKey('DiligenceOutcome', types.DiligenceOutcome);
const attention = defineSearchAttributeKey(
  'DiligenceNeedsAttention',
  types.DiligenceNeedsAttention,
);

/** Writes one line to the worker's log, not again on replay. Issues no command. */
export function logEvent(event: JobEvent, fields: Record<string, string | boolean> = {}): void {
  const { parent, typedSearchAttributes: attributes, workflowId } = workflowInfo();
  log.info(event, {
    event,
    job: attributes.get(job) ?? workflowId,
    kind: attributes.get(kind) ?? null,
    // Of a batch, only the batch is logged.
    isPart: parent !== undefined,
    ...fields,
  });
}

const ofUpdates: Readonly<Partial<Record<string, JobEvent>>> = {
  pause: 'job paused',
  resume: 'job resumed',
  cancel: 'job cancelled',
  decideDossier: 'job resolved',
};

class JobEvents implements WorkflowInboundCallsInterceptor {
  async execute(
    input: Parameters<NonNullable<WorkflowInboundCallsInterceptor['execute']>>[0],
    next: Parameters<NonNullable<WorkflowInboundCallsInterceptor['execute']>>[1],
  ): Promise<unknown> {
    if (workflowInfo().continuedFromExecutionRunId === undefined) logEvent('job started');
    try {
      const result = await next(input);
      const attributes = workflowInfo().typedSearchAttributes;
      const status = attributes.get(outcome);
      logEvent('job ended', {
        ...(status !== undefined && { status }),
        needsAttention: attributes.get(attention) ?? false,
      });
      return result;
    } catch (error) {
      if (error instanceof CancelledFailure || isCancellation(error))
        logEvent('job ended', { status: 'cancelled' });
      else if (!(error instanceof ContinueAsNew))
        logEvent('job failed', { error: error instanceof Error ? error.name : 'Error' });
      throw error;
    }
  }

  async handleUpdate(
    input: Parameters<NonNullable<WorkflowInboundCallsInterceptor['handleUpdate']>>[0],
    next: Parameters<NonNullable<WorkflowInboundCallsInterceptor['handleUpdate']>>[1],
  ): Promise<unknown> {
    const event = ofUpdates[input.name];
    if (event !== undefined) logEvent(event);
    return next(input);
  }
}

/** Bundled by the worker. */
export const interceptors = (): WorkflowInterceptors => ({ inbound: [new JobEvents()] });
