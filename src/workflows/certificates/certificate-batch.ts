import { CancellationScope, condition, setHandler } from '@temporalio/workflow';
import { jobOfList } from '../../domain/certificates/job';
import type { BatchSummary } from '../../domain/certificates/certificates';
import { backoffMs } from '../../domain/core/service/poll-timing';
import { RequestBudget } from '../../domain/certificates/request-budget';
import { batchEnd } from '../../domain/job-ends';
import { orderAnswer } from '../../domain/order-answers';
import { refuseOrder, refuseRepeated } from '../core/cancel-order';
import { certificateActivities } from './activities';
import { BatchLanes, orderLane } from './batch-lanes';
import type { CertificateBatchInput } from '../inputs';
import {
  batchProgressQuery,
  cancelUpdate,
  lostSignal,
  needSignal,
  pauseUpdate,
  resumeUpdate,
  type BatchProgress,
  type Control,
} from '../messages';
import { reportEnd } from '../core/search-attributes';
import { Waits } from '../core/waits';

/**
 * A batch of certificates: checks access, divides the rows over lanes, passes orders on to them and
 * finalizes the rows. Never continues as new. Decision record 002.
 */
export async function certificateBatch(input: CertificateBatchInput): Promise<BatchSummary> {
  const { list, terms, jobId } = input;
  const activities = certificateActivities(terms, jobId);
  const startedAt = Date.now();
  const maxUnknown = input.maxUnknown ?? mostUnknown(list.items);
  let unknownAllowed = maxUnknown;
  const lostIn = new Map<string, number>();
  let held = false;
  const progress: BatchProgress = {
    kind: 'certificate-batch',
    stage: 'proving access',
    waiting: null,
    paused: false,
    cancelling: false,
    startedAt,
    items: list.items,
    lanes: [],
  };
  const waits = new Waits(jobOfList(list.folder));
  let cancel: Control['cancel'];

  const lanes = new BatchLanes(input, {
    orders: () => ({ paused: progress.paused, held, cancel: cancel ?? null }),
    maxUnknown,
    onEnd: async (lane, made) => {
      budget?.end(lane, made);
      await handOutBudget();
    },
  });
  const budget = input.budget === undefined ? null : new RequestBudget(input.budget, lanes.count);

  /** Reports the most urgent reason to the inbox. */
  const reportWaits = (): void => {
    const reached = budget?.reached ?? null;
    progress.waiting = reached && { reason: 'budget', until: null, budget: reached };
    if (held) waits.report('unknown', lostSoFar());
    else waits.report(reached && 'budget', reached);
  };
  const handOutBudget = async (): Promise<void> => {
    if (budget === null) return;
    const grants = budget.grants();
    reportWaits();
    for (const [lane, granted] of grants) await orderLane(lane, { granted });
  };
  const lostSoFar = (): number => [...lostIn.values()].reduce((sum, rows) => sum + rows, 0);
  const refuseWhenOver = (): void => {
    if (progress.stage === 'merging' || progress.stage === 'done') {
      refuseOrder('over');
    }
  };

  setHandler(batchProgressQuery, () => ({ ...progress, lanes: lanes.progress() }));
  setHandler(lostSignal, async ({ lane, rows }) => {
    lostIn.set(lane, rows);
    const lost = lostSoFar();
    if (held || lost < unknownAllowed) return;
    held = true;
    reportWaits();
    await lanes.order({ held });
  });
  setHandler(needSignal, async ({ lane, execution, ...report }) => {
    budget?.report(lane, execution, report);
    await handOutBudget();
  });
  setHandler(
    pauseUpdate,
    async () => {
      progress.paused = true;
      await lanes.order({ paused: true });
      return orderAnswer('paused_requests');
    },
    {
      validator: () => {
        refuseWhenOver();
        if (progress.paused) refuseOrder('is_paused');
        if (cancel !== undefined) refuseOrder('is_cancelling');
      },
    },
  );
  setHandler(
    resumeUpdate,
    async () => {
      const wasPaused = progress.paused;
      const wasHeld = held;
      const wasSpent = budget !== null && budget.reached !== null;
      progress.paused = held = false;
      if (wasHeld) unknownAllowed = lostSoFar() + maxUnknown;
      if (wasSpent) budget?.allowMore();
      if (wasHeld || wasSpent) await handOutBudget();
      // Lanes that were throttled too often wait for this order too, paused or not.
      await lanes.order({ paused: false, held: false });
      if (wasSpent) return orderAnswer('resumed_budget', input.budget ?? 0);
      if (wasHeld) return orderAnswer('resumed_unknown', maxUnknown);
      return orderAnswer(wasPaused ? 'resumed' : 'resumed_refused');
    },
    { validator: refuseWhenOver },
  );
  const cancelWith = async (how: 'wait' | 'now'): Promise<void> => {
    cancel = how;
    progress.cancelling = true;
    await lanes.order({ cancel: how });
  };
  setHandler(
    cancelUpdate,
    async ({ now }) => {
      await cancelWith(now ? 'now' : 'wait');
      return orderAnswer(now ? 'cancelled_requests' : 'cancelling_requests');
    },
    {
      validator: ({ now }) => {
        refuseWhenOver();
        refuseRepeated(cancel === undefined ? null : { now: cancel === 'now' }, { now });
      },
    },
  );
  CancellationScope.current().cancelRequested.catch(() => {
    if (cancel === undefined) void cancelWith('wait');
  });

  return CancellationScope.nonCancellable(async () => {
    if (list.items > 0) await proveAccess();
    progress.stage = 'issuing';
    await lanes.run();
    progress.stage = 'merging';
    progress.waiting = null;
    waits.report(null);
    const edition = input.decision ?? 0;
    const { outcomesIn: folder } = list;
    // When no worker was running to signal the batch, lanes learn of a cancellation by themselves.
    const isOver = cancel === undefined && Date.now() >= terms.requestUntil;
    const why = isOver ? 'the deadline of the batch passed' : 'cancelled';
    const neverSent = `${why} before it was requested`;
    const merge = { folder, jobId, edition, startedAt, neverSent, failedLanes: lanes.failed };
    const summary = await activities.finalizeRows(merge);
    progress.stage = 'done';
    reportEnd(batchEnd(edition === 0 ? 'certificate-batch' : 'decision', summary.counts));
    return summary;
  });

  /** One free read before the first POST; while the token is refused it waits and shows that. */
  async function proveAccess(): Promise<void> {
    for (let failures = 1; cancel === undefined && Date.now() < terms.requestUntil; failures += 1) {
      const access = await activities.proveAccess();
      if (access === 'ok') break;
      const wait = backoffMs(failures, Math.random());
      const reason = access === 'credentials' ? 'credentials' : 'service';
      progress.waiting = { reason, until: Date.now() + wait };
      waits.report(reason === 'credentials' ? reason : null);
      await condition(() => cancel !== undefined, wait);
    }
    progress.waiting = null;
    waits.report(null);
  }
}

/** Default number of rows that may become unknown before the batch waits for a person. */
export function mostUnknown(rows: number): number {
  return Math.max(20, Math.ceil(rows / 50));
}
