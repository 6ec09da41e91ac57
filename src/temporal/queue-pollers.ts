import { temporal } from '@temporalio/proto';
import { queueName, type QueueKind } from '../domain/core/queues';
import type { EngineClient } from './connection';

const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;

/** A poll waits a minute at most; the server remembers who polled for five. */
const liveWithinMs = 90_000;

/**
 * Identities of the workers that poll a queue of this store: one that is gone is left out soon.
 *
 * @param clock `server`: whatever our own says; one that is gone may then show for five minutes
 */
export async function queuePollers(
  engine: EngineClient,
  kind: QueueKind,
  suffix: string,
  clock: 'own' | 'server' = 'own',
): Promise<string[]> {
  const { pollers } = await engine.connection.workflowService.describeTaskQueue({
    namespace: engine.namespace,
    taskQueue: { name: queueName(kind, suffix) },
    taskQueueType: kind === 'workflows' ? TASK_QUEUE_TYPE_WORKFLOW : TASK_QUEUE_TYPE_ACTIVITY,
  });
  const seen = (pollers ?? []).map(({ identity, lastAccessTime }) => ({
    identity: identity ?? '',
    at: Number(lastAccessTime?.seconds ?? 0) * 1_000,
  }));
  const now = clock === 'own' ? Date.now() : Math.max(...seen.map(({ at }) => at));
  const live = seen.filter(({ at }) => at >= now - liveWithinMs);
  return [...new Set(live.map(({ identity }) => identity))];
}
