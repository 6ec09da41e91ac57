import {
  CancellationScope,
  allHandlersFinished,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setHandler,
  workflowInfo,
  type SignalDefinition,
} from '@temporalio/workflow';
import type { LaneReport } from '../../domain/certificates/request-budget';
import type { RowListRef } from '../../domain/certificates/job';
import { certificateActivities } from './activities';
import type { IssuingTerms } from '../inputs';
import {
  controlSignal,
  lostSignal,
  needSignal,
  rowsProgressQuery,
  type RowCounts,
} from '../messages';
import { RowDriver } from './rows/row-driver';
import type { CarriedRows } from './rows/row-state';

export interface CertificateLaneInput {
  list: RowListRef;
  from: number;
  to: number;
  terms: IssuingTerms;
  /** `lane-0000`, unique within the work. */
  name: string;
  /** What batches share the service fairly by. */
  fairnessKey: string;
  eventsLimit: number;
  /** The batch is told of each so many rows that become unknown. */
  reportLostEvery: number;
  carried: CarriedRows;
}

export interface LaneResult {
  counts: RowCounts;
  /** Requests, where a budget counts them. */
  made?: number;
}

/** Tells the batch. One that was terminated does not mind. */
class Reports {
  #underWay = 0;

  async send<T extends object>(
    signal: SignalDefinition<[T & { lane: string }]>,
    report: T,
  ): Promise<void> {
    const { parent, workflowId: lane } = workflowInfo();
    if (parent === undefined) return;
    this.#underWay += 1;
    await CancellationScope.nonCancellable(() =>
      getExternalWorkflowHandle(parent.workflowId).signal(signal, { ...report, lane }),
    ).catch(() => undefined);
    this.#underWay -= 1;
  }

  /** Resolves when the batch has all of them: what a run had still to send when it ended may be dropped. */
  arrived(): Promise<void> {
    return condition(() => this.#underWay === 0);
  }
}

/** A stretch of a batch: at most a few thousand rows, driven to their outcomes. Decision record 002. */
export async function certificateLane(input: CertificateLaneInput): Promise<LaneResult> {
  const { list, from, to, terms, name, eventsLimit, carried } = input;
  const activities = certificateActivities(terms, input.fairnessKey);
  const reports = new Reports();
  const onLost = async (rows: number): Promise<void> => {
    if (rows % input.reportLostEvery === 0) await reports.send(lostSignal, { rows });
  };
  const execution = workflowInfo().firstExecutionRunId;
  const onNeed = (report: LaneReport): Promise<void> =>
    reports.send(needSignal, { ...report, execution });
  const about = { list, from, to, terms, activities, name, carried, eventsLimit };
  const driver = new RowDriver({ ...about, onLost, onNeed });
  setHandler(rowsProgressQuery, () => driver.progress());
  setHandler(controlSignal, (control) => driver.control(control));
  // A cancellation by the engine's own tools means what ours means: stop asking, bring home.
  CancellationScope.current().cancelRequested.catch(() => driver.control({ cancel: 'wait' }));

  return CancellationScope.nonCancellable(async () => {
    const end = await driver.drive();
    await reports.arrived();
    if (end === 'done') {
      const { made } = driver.carried().allowance ?? {};
      return { counts: driver.progress().counts, ...(made !== undefined && { made }) };
    }
    await condition(allHandlersFinished);
    return continueAsNew<typeof certificateLane>({ ...input, carried: driver.carried() });
  });
}
