import { ActivityFailure } from '@temporalio/workflow';
import type { EngineAnswer } from '../../domain/credit/engine';
import { creditActivities } from './activities';
import type { FindEngineInput } from '../messages';

/** Which engine a name means, asked by a worker: the command that wants to know has no token. */
export async function findEngine({ wanted, queueSuffix }: FindEngineInput): Promise<EngineAnswer> {
  try {
    return await creditActivities(queueSuffix).findEngine(wanted);
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return { kind: 'unavailable', reason: 'the list of engines could not be had' };
  }
}
