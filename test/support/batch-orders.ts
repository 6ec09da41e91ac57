import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  batchProgressQuery,
  cancelUpdate,
  pauseUpdate,
  resumeUpdate,
} from '../../src/workflows/messages';
import type { BatchHandle } from './workflow-environment';

export const pause = (batch: BatchHandle): Promise<string> => batch.executeUpdate(pauseUpdate);
export const resume = (batch: BatchHandle): Promise<string> => batch.executeUpdate(resumeUpdate);
export const cancel = (batch: BatchHandle, now: boolean): Promise<string> =>
  batch.executeUpdate(cancelUpdate, { args: [{ now }] });

/** @returns why an update was refused */
export async function refusalOf(update: Promise<string>): Promise<string> {
  const error: unknown = await update.then(
    (answer) => new Error(`it was not refused: ${answer}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof WorkflowUpdateFailedError)) throw error;
  expect(error.cause).toBeInstanceOf(ApplicationFailure);
  return error.cause?.message ?? '';
}

export const countsOf = async (batch: BatchHandle) =>
  (await batch.query(batchProgressQuery)).lanes.map(({ counts }) => counts);

export const settlesAfter = (ms: number) => ({
  usual: { endings: [{ as: 'issued', afterMs: ms } as const] },
  requestMs: 20,
});
