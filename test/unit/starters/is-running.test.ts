import { WorkflowNotFoundError } from '@temporalio/client';
import { isRunning } from '../../../src/starters/jobs/context';
import type { EngineClient } from '../../../src/temporal/connection';

const engineThat = (describe: () => Promise<unknown>): EngineClient =>
  ({ client: { workflow: { getHandle: () => ({ describe }) } } }) as unknown as EngineClient;

const running = (name: string) => async () => ({
  status: { name },
  typedSearchAttributes: { get: () => undefined, getAll: () => ({}) },
});

it.each(['COMPLETED', 'TERMINATED', 'FAILED'])('is false of one that is %s', async (status) => {
  expect(await isRunning(engineThat(running(status)), 'w')).toBe(false);
});

it('is true of one that runs', async () => {
  expect(await isRunning(engineThat(running('RUNNING')), 'w')).toBe(true);
});

it('is false of one that the engine does not know', async () => {
  const gone = async () => Promise.reject(new WorkflowNotFoundError('gone', 'w', undefined));
  expect(await isRunning(engineThat(gone), 'w')).toBe(false);
});

it('is an error when the engine cannot be asked', async () => {
  const away = async () => Promise.reject(new Error('14 UNAVAILABLE'));
  await expect(isRunning(engineThat(away), 'w')).rejects.toThrow('UNAVAILABLE');
});
