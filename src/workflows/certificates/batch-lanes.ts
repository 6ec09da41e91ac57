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

/** Orders in force when a lane starts. */
export interface LaneOrders {
  paused: boolean;
  held: boolean;
  cancel: 'wait' | 'now' | null;
}

export interface LaneRules {
  /** The current orders. */
  orders(): LaneOrders;
  /** Rows that may become unknown before the batch waits for a person. */
  maxUnknown: number;
  /** @param made requests; null: the lane failed, or there is no budget */
  onEnd(lane: string, made: number | null): Promise<void>;
}

/** The rows of a batch, divided over concurrent lanes. */
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
    // Every lane holds at least one row, and all lanes together at most the allowed number.
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

  /** Row ranges of the failed lanes. */
  get failed(): [from: number, to: number][] {
    const failed = this.#lanes.filter(({ done, result }) => done && result === null);
    return failed.map(({ from, items }) => [from, from + items]);
  }

  /** Sends an order to all running lanes. */
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
      // An order that came while the lane started has not reached it.
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
      // Thousands of a million rows may become unknown: send a signal for a group of them.
      reportLostEvery: Math.ceil(this.#rules.maxUnknown / 100),
      carried: { ...carried, ...(budget !== undefined && { allowance: noAllowance() }) },
    };
  }

  /**
   * A lane of an earlier, terminated execution of this batch may still be running: it is ordered to
   * complete its outstanding rows, and this lane replaces it.
   */
  async #start({ id }: Lane, input: CertificateLaneInput) {
    for (let wait = 1_000; ; wait = Math.min(wait * 2, 60_000)) {
      try {
        return await startChild(certificateLane, {
          workflowId: id,
          args: [input],
          typedSearchAttributes: attributesAtStart('certificate-lane', this.#input.jobId),
          // Lanes complete their rows even when the batch is terminated.
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

  /** A failed lane is an error of ours: the others continue, and finalizing shows the missing rows. */
  async #follow(lane: Lane, result: Promise<LaneResult>): Promise<void> {
    try {
      lane.result = await result;
    } catch (error) {
      log.error('a lane failed; its rows are finalized from the store', {
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

  /** Gives the slots of ended lanes to the running ones. */
  async #handOnShares(): Promise<void> {
    const working = this.#lanes.filter((lane) => !lane.done);
    if (working.length === this.#lanes.length) return;
    for (const [number, lane] of working.entries()) {
      if (!lane.done) await orderLane(lane.id, { share: this.#shareOf(number, working.length) });
    }
  }
}

/** Ignores a lane that has ended meanwhile. */
export async function orderLane(lane: string, control: Control): Promise<void> {
  // In its own scope: a cancellation of the batch must not cancel the signal.
  await CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(lane).signal(controlSignal, control),
  ).catch(() => log.info('a lane had ended before an order reached it', { lane }));
}

function laneName(number: number, decision: number | undefined): string {
  const prefix = decision === undefined ? 'lane' : `decision-${decision}-lane`;
  return `${prefix}-${String(number).padStart(4, '0')}`;
}
