import { CancellationScope, setHandler } from '@temporalio/workflow';
import type { BatchSummary } from '../../domain/certificates/certificates';
import { batchEnd } from '../../domain/job-ends';
import { orderAnswer, type OrderAnswer } from '../../domain/order-answers';
import { certificateActivities } from './activities';
import type { IssueCertificateInput } from '../inputs';
import {
  cancelSignal,
  cancelUpdate,
  resumeUpdate,
  rowsProgressQuery,
  type CancelOrder,
} from '../messages';
import { RowDriver } from './rows/row-driver';
import { firstRows } from './rows/row-state';
import { bothOrders, refuseRepeated } from '../core/cancel-order';
import { reportEnd } from '../core/search-attributes';

/** One certificate, through the same two activities as a batch. */
export async function issueCertificate(input: IssueCertificateInput): Promise<BatchSummary> {
  const { list, terms, jobId } = input;
  const startedAt = Date.now();
  const activities = certificateActivities(terms, jobId);
  const driver = new RowDriver({
    list,
    from: 0,
    to: list.items,
    terms,
    activities,
    name: 'single',
    carried: firstRows(0, list.items),
    eventsLimit: null,
  });
  let cancelled: CancelOrder | null = null;
  setHandler(rowsProgressQuery, () => driver.progress());
  setHandler(resumeUpdate, () => {
    driver.control({ paused: false });
    return orderAnswer('resumed');
  });
  const cancel = (order: CancelOrder): void => {
    cancelled = bothOrders(cancelled, order);
    driver.control({ cancel: order.now ? 'now' : 'wait' });
  };
  const onCancel = (order: CancelOrder): OrderAnswer => {
    cancel(order);
    return orderAnswer(order.now ? 'cancelled_at_once' : 'cancelling');
  };
  setHandler(cancelUpdate, onCancel, { validator: (order) => refuseRepeated(cancelled, order) });
  setHandler(cancelSignal, cancel);
  CancellationScope.current().cancelRequested.catch(() => cancel({ now: false }));

  return CancellationScope.nonCancellable(async () => {
    await driver.drive();
    const { outcomesIn } = list;
    const isOver = cancelled === null && Date.now() >= terms.requestUntil;
    const summary = await activities.finalizeRows({
      folder: outcomesIn,
      jobId,
      edition: 0,
      startedAt,
      neverSent: `${isOver ? 'the deadline passed' : 'cancelled'} before it was requested`,
      failedLanes: [],
    });
    reportEnd(batchEnd('certificate', summary.counts));
    return summary;
  });
}
