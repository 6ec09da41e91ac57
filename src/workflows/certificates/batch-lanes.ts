import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  getExternalWorkflowHandle,
  log,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { attributesAtStart } from '../core/search-attributes';
import type { CertificateBatchInput } from '../inputs';
import { controlSignal, type BatchProgress, type Control } from '../messages';
import { certificateLane, type CertificateLaneInput, type LaneResult } from './certificate-lane';
import { firstRows, noAllowance } from './rows/row-state';

const defaults = { laneRows: 2_000, laneEvents: 3_000, mostLanes: 8 } as const;

interface Lane {
  id: string;
  from: number;
  items: number;
  result: LaneResult | null;
  done: boolean;
}

/** Orders that a lane starts under. */
export interface LaneOrders {
  paused: boolean;
  held: boolean;
  cancel: 'wait' | 'now' | null;
}

export interface LaneRules {
  /** As they stand now. */
  orders(): LaneOrders;
  /** Rows that may become unknown before a person must look. */
  maxUnknown: number;
  /** @param made requests; null: it failed, or nobody counts them */
  onEnd(lane: string, made: number | null): Promise<void>;
}

/** The rows of a batch, divided over lanes that run at once. */
export class BatchLanes {
  readonly #input: CertificateBatchInput;
  readonly #rules: LaneRules;
  readonly #laneRows: number;
  readonly #lanes: Lane[] = [];
  /** All have started. */
  #started = false;

  constructor(input: CertificateBatchInput, rules: LaneRules) {
    const { concurrency, laneRows = defaults.laneRows, list } = input;
    this.#input = input;
    this.#rules = rules;
    // Every lane holds at least one row, and all of them no more than was allowed.
    const least = Math.ceil(list.items / Math.min(defaults.mostLanes, concurrency));
    this.#laneRows = Math.max(laneRows, least);
  }

  get count(): number {
    return Math.ceil(this.#input.list.items / this.#laneRows);
  }

  progress(): BatchProgress['lanes'] {
    return this.#lanes.map(({ id, items, done, result }) => ({
      id,
      items,
      done,
      counts: result?.counts ?? null,
    }));
  }

  /** Places of the lanes that failed. */
  get failed(): [from: number, to: number][] {
    const failed = this.#lanes.filter(({ done, result }) => done && result === null);
    return failed.map(({ from, items }) => [from, from + items]);
  }

  /** To all that are at work. */
  async order(control: Control): Promise<void> {
    for (const lane of this.#lanes) if (!lane.done) await orderLane(lane.id, control);
  }

  /** Resolves when all have ended. */
  async run(): Promise<void> {
    const { decision, list } = this.#input;
    const results: Promise<void>[] = [];
    for (let number = 0; number < this.count; number += 1) {
      const from = number * this.#laneRows;
      const items = Math.min(this.#laneRows, list.items - from);
      const name = laneName(number, decision);
      const id = `${workflowInfo().workflowId}/${name}`;
      const lane: Lane = { id, from, items, result: null, done: false };
      const orders = this.#rules.orders();
      const handle = await this.#start(lane, this.#inputOf(lane, name, number, orders));
      this.#lanes.push(lane);
      // A decision that came while the lane was being started has not reached it.
      const { cancel, held, paused } = this.#rules.orders();
      const isOther = paused !== orders.paused || held !== orders.held || cancel !== orders.cancel;
      if (isOther) await orderLane(id, { paused, held, ...(cancel && { cancel }) });
      results.push(this.#follow(lane, handle.result()));
    }
    this.#started = true;
    await this.#handOnShares();
    await Promise.all(results);
  }

  #inputOf(
    { from, items }: Lane,
    name: string,
    number: number,
    orders: LaneOrders,
  ): CertificateLaneInput {
    const { budget, laneEvents = defaults.laneEvents, terms, list, jobId } = this.#input;
    const carried = { ...firstRows(from, this.#shareOf(number, this.count)), ...orders };
    return {
      list,
      from,
      to: from + items,
      terms,
      name,
      fairnessKey: jobId,
      eventsLimit: laneEvents,
      // Of a million rows thousands may become unknown: not each of them is a signal.
      reportLostEvery: Math.ceil(this.#rules.maxUnknown / 100),
      carried: { ...carried, ...(budget !== undefined && { allowance: noAllowance() }) },
    };
  }

  /**
   * A lane of an earlier run of this batch, which was terminated, may still be at work: it is ordered
   * to bring home what it has, and this one takes its place.
   */
  async #start({ id }: Lane, input: CertificateLaneInput) {
    for (let wait = 1_000; ; wait = Math.min(wait * 2, 60_000)) {
      try {
        return await startChild(certificateLane, {
          workflowId: id,
          args: [input],
          typedSearchAttributes: attributesAtStart('certificate-lane', this.#input.jobId),
          // Lanes bring their rows home even when the batch is terminated.
          parentClosePolicy: ParentClosePolicy.ABANDON,
          cancellationType: ChildWorkflowCancellationType.ABANDON,
        });
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        await orderLane(id, { cancel: 'wait' });
        await sleep(wait);
      }
    }
  }

  /** A lane that fails is an error of ours: the others go on, and the merge shows what is missing. */
  async #follow(lane: Lane, result: Promise<LaneResult>): Promise<void> {
    try {
      lane.result = await result;
    } catch (error) {
      log.error('a lane failed; its rows are put together from what is on file', {
        lane: lane.id,
        error: (error as Error).name,
      });
    }
    lane.done = true;
    if (this.#started) await this.#handOnShares();
    await this.#rules.onEnd(lane.id, lane.result?.made ?? null);
  }

  #shareOf(number: number, count: number): number {
    const { concurrency } = this.#input;
    const base = Math.floor(concurrency / count);
    return Math.max(1, base + (number < concurrency % count ? 1 : 0));
  }

  /** The places of lanes that ended go to those still at work. */
  async #handOnShares(): Promise<void> {
    const working = this.#lanes.filter((lane) => !lane.done);
    if (working.length === this.#lanes.length) return;
    for (const [number, lane] of working.entries()) {
      if (!lane.done) await orderLane(lane.id, { share: this.#shareOf(number, working.length) });
    }
  }
}

/** A lane that ended in between does not mind: it has nothing left to do. */
export async function orderLane(lane: string, control: Control): Promise<void> {
  // In a scope of its own: a cancellation of the batch must not swallow what it means.
  await CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(lane).signal(controlSignal, control),
  ).catch(() => log.info('a lane had ended before an order reached it', { lane }));
}

function laneName(number: number, decision: number | undefined): string {
  const prefix = decision === undefined ? 'lane' : `decision-${decision}-lane`;
  return `${prefix}-${String(number).padStart(4, '0')}`;
}
