import { ApplicationFailure } from '@temporalio/common';
import type {
  AwaitTraceInput,
  StartedTrace,
  StartTraceInput,
} from '../../src/activities/traces/traces';
import { queueName } from '../../src/domain/core/queues';
import type { Polled } from '../../src/domain/core/service/poll-request';
import type { TraceOutcome, TraceSeen } from '../../src/domain/traces/search';
import { jobProgressQuery } from '../../src/workflows/messages';
import type { searchTrace } from '../../src/workflows/traces/search-trace';
import { spanMs } from './histories';
import { shareWorker, type ActivitiesByWorkflow } from './shared-worker';
import { hour, type WorkflowRig } from './workflow-environment';

export type Answer<T> = Polled<T> | (() => never);

let started = 0;
const activities: ActivitiesByWorkflow = new Map();

/** To be called in a suite whose tests search. */
export function shareSearches(rig: () => WorkflowRig): void {
  shareWorker(rig, ['startTrace', 'awaitTrace', 'finalizeTrace'], activities);
}

/** Drives one search to its end. */
export async function searched(
  rig: WorkflowRig,
  starts: Answer<StartedTrace>[],
  reads: Answer<TraceSeen>[],
  {
    meanwhile = async (_id: string): Promise<void> => undefined,
    atEnd = async (): Promise<void> => undefined,
    deadlineMs = hour,
  } = {},
) {
  const { env } = rig;
  started += 1;
  const workflowId = `trace/${rig.suffix}-${started}`;
  const asked: StartTraceInput[] = [];
  const read: AwaitTraceInput[] = [];
  activities.set(workflowId, {
    startTrace: async (input: StartTraceInput) => scripted(asked, starts, input),
    awaitTrace: async (input: AwaitTraceInput) => scripted(read, reads, input),
    finalizeTrace: async ({ outcome }: { outcome: TraceOutcome }) => {
      await atEnd();
      return outcome;
    },
  });
  const begunAt = await rig.now();
  const handle = await env.client.workflow.start<typeof searchTrace>('searchTrace', {
    workflowId,
    taskQueue: queueName('workflows', rig.suffix),
    args: [
      {
        ref: { jobId: workflowId, folder: 'f' },
        deadlineAt: begunAt + deadlineMs,
        interactive: true,
        queueSuffix: rig.suffix,
      },
    ],
  });
  rig.watch(handle);
  await meanwhile(workflowId);
  const outcome = await handle.result();
  const { events } = await handle.fetchHistory();
  const progress = await handle.query(jobProgressQuery);
  const tookMs = spanMs(events ?? []);
  return { outcome, asked, read, events: events?.length ?? 0, progress, tookMs };
}

function scripted<I, T>(inputs: I[], answers: Answer<T>[], input: I): Polled<T> {
  inputs.push(input);
  const answer = answers[Math.min(inputs.length, answers.length) - 1];
  if (answer === undefined) throw ApplicationFailure.nonRetryable('no answer is scripted');
  return typeof answer === 'function' ? answer() : answer;
}
