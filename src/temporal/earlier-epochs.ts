import type { Client } from '@temporalio/client';
import { queueName, queueSuffix } from '../domain/core/queues';

/**
 * Workflows of the store before its restore have no worker any more: they are terminated, so that the same command
 * starts them anew; schedules continue for the restored store.
 */
export async function endEarlierEpochs(
  client: Client,
  store: { id: string; epoch: number },
): Promise<void> {
  const isNow = queueSuffix(store);
  for (let epoch = 1; epoch < store.epoch; epoch += 1) {
    const queue = queueName('workflows', queueSuffix({ id: store.id, epoch }));
    const query = `ExecutionStatus = 'Running' AND TaskQueue = '${queue}'`;
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      await client.workflow
        .getHandle(workflowId, runId)
        .terminate('the store was restored from a backup')
        // It has ended meanwhile.
        .catch(() => undefined);
    }
  }
  if (store.epoch === 1) return;
  const now = queueName('workflows', isNow);
  const ours = queueName('workflows', store.id.slice(0, 8));
  for await (const { scheduleId } of client.schedule.list()) {
    const handle = client.schedule.getHandle(scheduleId);
    const { action } = await handle.describe();
    if (!action.taskQueue.startsWith(ours) || action.taskQueue === now) continue;
    await handle.update(({ spec, policies, state, action: before }) => {
      const [input, ...rest] = (before.args ?? []) as object[];
      const args = [{ ...input, queueSuffix: isNow }, ...rest];
      return { spec, policies, state, action: { ...before, taskQueue: now, args } };
    });
  }
}
