import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  batchProgressQuery,
  cancelUpdate,
  pauseUpdate,
  resumeUpdate,
} from '../../src/workflows/messages';
import { answerWords, type OrderAnswer } from '../../src/domain/order-answers';
import type { BatchHandle } from './workflow-environment';

export const pause = async (batch: BatchHandle): Promise<string> =>
  said(await batch.executeUpdate(pauseUpdate));
export const resume = async (batch: BatchHandle): Promise<string> =>
  said(await batch.executeUpdate(resumeUpdate));
export const cancel = async (batch: BatchHandle, now: boolean): Promise<string> =>
  said(await batch.executeUpdate(cancelUpdate, { args: [{ now }] }));

/** What a workflow has answered, in English. */
export function said(answer: OrderAnswer): string {
  return answerWords(answer)[0];
}

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
