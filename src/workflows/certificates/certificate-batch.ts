import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  condition,
  getExternalWorkflowHandle,
  log,
  setHandler,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { jobOfList } from '../../domain/certificates/work';
import type { BatchSummary } from '../../domain/certificates/certificates';
import { backoffMs } from '../../domain/core/service/poll-timing';
import { batchEnd } from '../../domain/job-ends';
import { certificateActivities } from './activities';
import { certificateLane, type CertificateLaneInput, type LaneResult } from './certificate-lane';
import type { CertificateBatchInput } from '../inputs';
import {
  batchProgressQuery,
  cancelUpdate,
  controlSignal,
  lostSignal,
  pauseUpdate,
  resumeUpdate,
  type BatchProgress,
  type Control,
} from '../messages';
import { firstRows } from './row-state';
import { attributesAtStart, reportEnd } from '../core/search-attributes';
import { Waits } from '../core/waits';

const defaults = { laneRows: 2_000, laneEvents: 3_000, mostLanes: 8 } as const;

interface Lane {
  id: string;
  from: number;
  items: number;
  result: LaneResult | null;
  done: boolean;
}

/**
 * A batch of certificates: proves the access, divides the rows over lanes, passes decisions on to
 * them, and puts the outcomes together. Never continues as new itself. Decision record 002.
 */
export async function certificateBatch(input: CertificateBatchInput): Promise<BatchSummary> {
  const { work, terms, workId } = input;
  const { workflowId } = workflowInfo();
  const activities = certificateActivities(terms, workId);
  const startedAt = Date.now();
  const lanes: Lane[] = [];
  const maxUnknown = input.maxUnknown ?? mostUnknown(work.items);
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
    items: work.items,
    lanes: [],
  };
  const waits = new Waits(jobOfList(work.folder));
  let cancel: Control['cancel'];
  let lanesStarted = false;

  const order = async (control: Control, only?: Lane): Promise<void> => {
    for (const lane of only === undefined ? lanes : [only]) {
      if (lane.done) continue;
      // A lane that ended in between does not mind: it has nothing left to do.
      // In a scope of its own: a cancellation of the batch must not swallow what it means.
      await CancellationScope.nonCancellable(() =>
        getExternalWorkflowHandle(lane.id).signal(controlSignal, control),
      ).catch(() => log.info('a lane had ended before an order reached it', { lane: lane.id }));
    }
  };
  const lostSoFar = (): number => [...lostIn.values()].reduce((sum, rows) => sum + rows, 0);
  const refuseWhenOver = (): void => {
    if (progress.stage === 'merging' || progress.stage === 'done') {
      throw ApplicationFailure.nonRetryable('every row has its outcome already', 'TooLate');
    }
  };

  setHandler(batchProgressQuery, () => ({
    ...progress,
    lanes: lanes.map(({ id, items, done, result }) => ({
      id,
      items,
      done,
      counts: result?.counts ?? null,
    })),
  }));
  setHandler(lostSignal, async ({ lane, rows }) => {
    lostIn.set(lane, rows);
    const lost = lostSoFar();
    if (held || lost < unknownAllowed) return;
    held = true;
    waits.report('unknown', lost);
    await order({ held });
  });
  setHandler(
    pauseUpdate,
    async () => {
      progress.paused = true;
      await order({ paused: true });
      return 'paused: nothing new is requested, what is outstanding is still brought home';
    },
    {
      validator: () => {
        refuseWhenOver();
        if (progress.paused)
          throw ApplicationFailure.nonRetryable('it is paused already', 'Already');
        if (cancel !== undefined)
          throw ApplicationFailure.nonRetryable('it is being cancelled', 'TooLate');
      },
    },
  );
  setHandler(
    resumeUpdate,
    async () => {
      const wasPaused = progress.paused;
      const wasHeld = held;
      progress.paused = held = false;
      if (wasHeld) {
        unknownAllowed = lostSoFar() + maxUnknown;
        waits.report(null);
      }
      // Lanes that were turned away too often wait for this word too, paused or not.
      await order({ paused: false, held: false });
      if (wasHeld) return `resumed: until ${maxUnknown} more rows are unknown`;
      return wasPaused ? 'resumed' : 'it was not paused: what was turned away is tried again';
    },
    { validator: refuseWhenOver },
  );
  const cancelWith = async (how: 'wait' | 'now'): Promise<void> => {
    cancel = how;
    progress.cancelling = true;
    await order({ cancel: how });
  };
  setHandler(
    cancelUpdate,
    async ({ now }) => {
      await cancelWith(now ? 'now' : 'wait');
      return now
        ? 'cancelled at once: outstanding issuances are left at the service, with their ids on file'
        : 'cancelling: nothing new is requested, what is outstanding is still brought home';
    },
    {
      validator: ({ now }) => {
        refuseWhenOver();
        if (cancel === 'now' || (cancel === 'wait' && !now)) {
          throw ApplicationFailure.nonRetryable('it is being cancelled already', 'Already');
        }
      },
    },
  );
  CancellationScope.current().cancelRequested.catch(() => {
    if (cancel === undefined) void cancelWith('wait');
  });

  return CancellationScope.nonCancellable(async () => {
    if (work.items > 0) await proveAccess();
    progress.stage = 'issuing';
    await runLanes();
    progress.stage = 'merging';
    waits.report(null);
    const edition = input.decision ?? 0;
    const { filedIn: folder } = work;
    const failedLanes = lanes.filter((lane) => lane.done && lane.result === null).map(itemsOf);
    // Lanes learn of a cancellation by themselves when no worker ran that could signal the batch.
    const isOver = cancel === undefined && Date.now() >= terms.requestUntil;
    const why = isOver ? 'the deadline of the batch passed' : 'cancelled';
    const neverSent = `${why} before it was requested`;
    const merge = { folder, workId, edition, startedAt, neverSent, failedLanes };
    const summary = await activities.mergeWork(merge);
    progress.stage = 'done';
    reportEnd(batchEnd(edition === 0 ? 'certificate-batch' : 'decision', summary.counts));
    return summary;
  });

  /** One harmless read before the first POST; waits, and shows it, while the token is refused. */
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

  async function runLanes(): Promise<void> {
    const laneRows = Math.max(
      input.laneRows ?? defaults.laneRows,
      // Every lane holds at least one row, and all of them no more than was allowed.
      Math.ceil(work.items / Math.min(defaults.mostLanes, input.concurrency)),
    );
    const count = Math.ceil(work.items / laneRows);
    const results: Promise<void>[] = [];
    for (let number = 0; number < count; number += 1) {
      const from = number * laneRows;
      const to = Math.min(from + laneRows, work.items);
      const name = laneName(number, input.decision);
      const lane: Lane = {
        id: `${workflowId}/${name}`,
        from,
        items: to - from,
        result: null,
        done: false,
      };
      const carried = firstRows(from, shareOf(number, count));
      const state = { paused: progress.paused, held, cancel: cancel ?? null };
      const handle = await startLane(lane, {
        work,
        from,
        to,
        terms,
        name,
        fairnessKey: workId,
        eventsLimit: input.laneEvents ?? defaults.laneEvents,
        // Of a million rows thousands may become unknown: not each of them is a signal.
        tellLostEvery: Math.ceil(maxUnknown / 100),
        carried: { ...carried, ...state },
      });
      lanes.push(lane);
      // A decision that came while the lane was being started has not reached it.
      const isOther = state.paused !== progress.paused || state.held !== held;
      if (isOther || state.cancel !== (cancel ?? null)) {
        await order({ paused: progress.paused, held, ...(cancel && { cancel }) }, lane);
      }
      results.push(follow(lane, handle.result()));
    }
    lanesStarted = true;
    await handOnShares();
    await Promise.all(results);
  }

  /**
   * A lane of an earlier run of this batch, which was terminated, may still be at work: it is ordered
   * to bring home what it has, and this one takes its place.
   */
  async function startLane(lane: Lane, laneInput: CertificateLaneInput) {
    for (let wait = 1_000; ; wait = Math.min(wait * 2, 60_000)) {
      try {
        return await startChild(certificateLane, {
          workflowId: lane.id,
          args: [laneInput],
          typedSearchAttributes: attributesAtStart('certificate-lane', workId),
          // Lanes bring their rows home even when the batch is terminated.
          parentClosePolicy: ParentClosePolicy.ABANDON,
          cancellationType: ChildWorkflowCancellationType.ABANDON,
        });
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        await order({ cancel: 'wait' }, lane);
        await sleep(wait);
      }
    }
  }

  /** A lane that fails is an error of ours: the others go on, and the merge shows what is missing. */
  async function follow(lane: Lane, result: Promise<LaneResult>): Promise<void> {
    try {
      lane.result = await result;
    } catch (error) {
      log.error('a lane failed; its rows are put together from what is on file', {
        lane: lane.id,
        error: (error as Error).name,
      });
    }
    lane.done = true;
    if (lanesStarted) await handOnShares();
  }

  function shareOf(number: number, count: number): number {
    const base = Math.floor(input.concurrency / count);
    return Math.max(1, base + (number < input.concurrency % count ? 1 : 0));
  }

  /** The places of lanes that ended go to those still at work. */
  async function handOnShares(): Promise<void> {
    const working = lanes.filter((lane) => !lane.done);
    if (working.length === lanes.length) return;
    for (const [number, lane] of working.entries()) {
      await order({ share: shareOf(number, working.length) }, lane);
    }
  }
}

/** Rows that may become unknown before a person must look, where nobody has said. */
export function mostUnknown(rows: number): number {
  return Math.max(20, Math.ceil(rows / 50));
}

function itemsOf({ from, items }: Lane): [from: number, to: number] {
  return [from, from + items];
}

function laneName(number: number, decision: number | undefined): string {
  const prefix = decision === undefined ? 'lane' : `decision-${decision}-lane`;
  return `${prefix}-${String(number).padStart(4, '0')}`;
}
