import { randomUUID } from 'node:crypto';
import { WorkflowUpdateRPCTimeoutOrCancelledError, type WorkflowHandle } from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';

/** An order to a workflow whose worker may be dead just now: the same one is given until it is taken. */
export async function order<Result, Args extends [unknown]>(
  handle: WorkflowHandle,
  update: UpdateDefinition<Result, Args>,
  given: Args,
  boundMs = 240_000,
): Promise<Result> {
  const updateId = randomUUID();
  const deadlineAt = Date.now() + boundMs;
  for (;;) {
    try {
      return await handle.executeUpdate(update, { args: given, updateId });
    } catch (error) {
      const isUntaken = error instanceof WorkflowUpdateRPCTimeoutOrCancelledError;
      if (!isUntaken || Date.now() > deadlineAt) throw error;
    }
  }
}
