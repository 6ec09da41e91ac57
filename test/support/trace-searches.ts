import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import type { AwaitTraceInput, StartedTrace, StartTraceInput } from '../../src/activities/traces';
import { queueName } from '../../src/domain/queues';
import type { Waited } from '../../src/domain/settled-wait';
import type { TraceOutcome, TraceSeen } from '../../src/domain/traces/search';
import { traceProgressQuery } from '../../src/workflows/messages';
import type { searchTrace } from '../../src/workflows/search-trace';
import { spanMs } from './histories';
import { dataConverter, hour, type WorkflowRig } from './workflow-environment';

export type Answer<T> = Waited<T> | (() => never);

interface Script {
  starts: Answer<StartedTrace>[];
  reads: Answer<TraceSeen>[];
  asked: StartTraceInput[];
  read: AwaitTraceInput[];
  atEnd: () => Promise<void>;
}

let started = 0;
const scripts = new Map<string, Script>();

/** A worker for the activities of every search of a rig: each goes by the script of its own. */
export async function startTraceWorker({
  env,
  interceptors,
  suffix,
}: WorkflowRig): Promise<() => Promise<void>> {
  const own = (): Script => {
    const { workflowExecution } = Context.current().info;
    const script = scripts.get(workflowExecution?.workflowId ?? '');
    if (script === undefined) throw new Error('no test has started this search');
    return script;
  };
  const worker = await Worker.create({
    connection: env.nativeConnection,
    ...(env.namespace !== undefined && { namespace: env.namespace }),
    dataConverter,
    taskQueue: queueName('investigation', suffix),
    interceptors,
    activities: {
      startTrace: async (input: StartTraceInput) => scripted(own().asked, own().starts, input),
      awaitTrace: async (input: AwaitTraceInput) => scripted(own().read, own().reads, input),
      concludeTrace: async ({ outcome }: { outcome: TraceOutcome }) => {
        await own().atEnd();
        return outcome;
      },
    },
  });
  const ran = worker.run();
  return async () => {
    worker.shutdown();
    await ran;
  };
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
  scripts.set(workflowId, { starts, reads, asked, read, atEnd });
  const begunAt = await rig.now();
  const handle = await env.client.workflow.start<typeof searchTrace>('searchTrace', {
    workflowId,
    taskQueue: queueName('workflows', rig.suffix),
    args: [
      {
        ref: { workId: workflowId, folder: 'f' },
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
  const progress = await handle.query(traceProgressQuery);
  const tookMs = spanMs(events ?? []);
  return { outcome, asked, read, events: events?.length ?? 0, progress, tookMs };
}

function scripted<I, T>(inputs: I[], answers: Answer<T>[], input: I): Waited<T> {
  inputs.push(input);
  const answer = answers[Math.min(inputs.length, answers.length) - 1];
  if (answer === undefined) throw ApplicationFailure.nonRetryable('no answer is scripted');
  return typeof answer === 'function' ? answer() : answer;
}
