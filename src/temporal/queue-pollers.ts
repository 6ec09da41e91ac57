import { temporal } from '@temporalio/proto';
import { queueName, type QueueKind } from '../domain/queues';
import type { EngineClient } from './connection';

const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;

/** Identities of the workers that polled a queue of this archive within the last minutes. */
export async function queuePollers(
  engine: EngineClient,
  kind: QueueKind,
  suffix: string,
): Promise<string[]> {
  const { pollers } = await engine.connection.workflowService.describeTaskQueue({
    namespace: engine.namespace,
    taskQueue: { name: queueName(kind, suffix) },
    taskQueueType: kind === 'workflows' ? TASK_QUEUE_TYPE_WORKFLOW : TASK_QUEUE_TYPE_ACTIVITY,
  });
  return [...new Set((pollers ?? []).map((poller) => poller.identity ?? ''))];
}
