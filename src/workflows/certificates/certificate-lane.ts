import {
  CancellationScope,
  allHandlersFinished,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { WorkRef } from '../../domain/certificates/work';
import { certificateActivities } from './activities';
import type { IssuingTerms } from '../inputs';
import { controlSignal, lostSignal, rowsProgressQuery, type RowCounts } from '../messages';
import { RowDriver } from './row-driver';
import type { CarriedRows } from './row-state';

export interface CertificateLaneInput {
  work: WorkRef;
  from: number;
  to: number;
  terms: IssuingTerms;
  /** `lane-0000`, unique within the work. */
  name: string;
  /** What batches share the service fairly by. */
  fairnessKey: string;
  eventsLimit: number;
  /** The batch is told of each so many rows that become unknown. */
  tellLostEvery: number;
  carried: CarriedRows;
}

export interface LaneResult {
  counts: RowCounts;
}

/** A batch that was terminated does not mind. */
async function tellLost(rows: number): Promise<void> {
  const { parent, workflowId } = workflowInfo();
  if (parent === undefined) return;
  await CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(parent.workflowId).signal(lostSignal, { lane: workflowId, rows }),
  ).catch(() => undefined);
}

/** A stretch of a batch: at most a few thousand rows, driven to their outcomes. Decision record 002. */
export async function certificateLane(input: CertificateLaneInput): Promise<LaneResult> {
  const { work, from, to, terms, name, eventsLimit, carried } = input;
  const activities = certificateActivities(terms, input.fairnessKey);
  const onLost = async (rows: number): Promise<void> => {
    if (rows % input.tellLostEvery === 0) await tellLost(rows);
  };
  const options = { work, from, to, terms, activities, name, carried, eventsLimit, onLost };
  const driver = new RowDriver(options);
  setHandler(rowsProgressQuery, () => driver.progress());
  setHandler(controlSignal, (control) => driver.control(control));
  // A cancellation by the engine's own tools means what ours means: stop asking, bring home.
  CancellationScope.current().cancelRequested.catch(() => driver.control({ cancel: 'wait' }));

  return CancellationScope.nonCancellable(async () => {
    if ((await driver.drive()) === 'done') return { counts: driver.progress().counts };
    await condition(allHandlersFinished);
    return continueAsNew<typeof certificateLane>({ ...input, carried: driver.carried() });
  });
}
