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
  /** `lane-0000`, unique within the job. */
  name: string;
  /** Key by which batches share the service fairly. */
  fairnessKey: string;
  eventsLimit: number;
  /** Report to the batch after this many rows become unknown. */
  reportLostEvery: number;
  carried: CarriedRows;
}

export interface LaneResult {
  counts: RowCounts;
  /** Requests; set when there is a budget. */
  made?: number;
}

/** Reports to the batch; ignores a terminated one. */
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

  /** Resolves when the batch has all reports: commands still pending when an execution ends may be dropped. */
  arrived(): Promise<void> {
    return condition(() => this.#underWay === 0);
  }
}

/** A range of a batch: at most a few thousand rows, driven to their outcomes. Decision record 002. */
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
  // A cancellation by Temporal's own tools means the same: stop requesting, complete what is outstanding.
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
