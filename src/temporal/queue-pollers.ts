import { temporal } from '@temporalio/proto';
import { queueName, type QueueKind } from '../domain/core/queues';
import type { EngineClient } from './connection';

const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;

/** A long poll takes at most a minute; the server remembers pollers for five. */
const liveWithinMs = 90_000;

/**
 * Identities of the workers that poll a queue of this store; ended ones disappear soon.
 *
 * @param clock `server`: independent of our clock; an ended worker may then show for five minutes
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
