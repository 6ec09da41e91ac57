import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityFailure,
  CancellationScope,
  ChildWorkflowFailure,
  ParentClosePolicy,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  log,
  setHandler,
  startChild,
} from '@temporalio/workflow';
import type { AnalysisCounts } from '../domain/credit/batch';
import { thingOfAnalysis } from '../domain/credit/batch';
import { analysisFolder, analysisWorkflowId, type AnalysisStatus } from '../domain/credit/work';
import { analyzeCredit } from './analyze-credit';
import { creditActivities } from './credit-activities';
import {
  cancelUpdate,
  creditBatchProgressQuery,
  pauseUpdate,
  resumeUpdate,
  type CreditBatchInput,
  type CreditBatchProgress,
} from './messages';
import { attributesAtStart, tellBatchEnd } from './search-attributes';

/** An analysis that this workflow did not see start is looked for so long, then started again. */
const firstLookMs = 10 * 60_000;
const longestLookMs = 6 * 3_600_000;

/**
 * Many files, a few at once, each an analysis under its own id. A run drives one part of the list
 * and hands what is under way to the next, so that there may be any number of files.
 *
 * @returns how they ended, counted; each end stands in the archive
 */
export async function creditBatch(input: CreditBatchInput): Promise<AnalysisCounts> {
  return new BatchDriver(input).drive();
}

class BatchDriver {
  readonly #input: CreditBatchInput;
  readonly #activities: ReturnType<typeof creditActivities>;
  readonly #counts: AnalysisCounts;
  /** Under way; those of them that the batch itself has started. */
  readonly #under = new Set<string>();
  readonly #own = new Set<string>();
  #open: string[] = [];
  #starting = 0;
  #paused: boolean;
  #cancel: 'wait' | 'now' | null = null;

  constructor(input: CreditBatchInput) {
    this.#input = input;
    this.#activities = creditActivities(input.queueSuffix);
    this.#counts = { ...input.carried.counts };
    this.#paused = input.carried.paused;
    setHandler(creditBatchProgressQuery, () => this.#progress());
    setHandler(
      pauseUpdate,
      () => {
        this.#paused = true;
        return 'paused: what is under way goes on';
      },
      { validator: () => refuseIf(this.#cancel !== null, 'it is being cancelled') },
    );
    setHandler(
      resumeUpdate,
      () => {
        this.#paused = false;
        return 'goes on';
      },
      { validator: () => refuseIf(!this.#paused, 'it is not paused') },
    );
    setHandler(cancelUpdate, ({ now }) => {
      this.#cancelAll(now ? 'now' : 'wait');
      return 'cancelling';
    });
    CancellationScope.current().cancelRequested.catch(() => this.#cancelAll('wait'));
  }

  async drive(): Promise<AnalysisCounts> {
    return CancellationScope.nonCancellable(async () => {
      const { folder, part, carried } = this.#input;
      const { open, ended } = await this.#activities.readBatchPart({ folder, part });
      for (const status of ended) this.#count(status);
      this.#open = open;
      const handedOn = carried.underWay.map(({ workId, isOwn }) => {
        this.#under.add(workId);
        if (isOwn) this.#own.add(workId);
        return this.#follow(workId, true);
      });
      const places = Array.from({ length: this.#input.concurrency }, () => this.#fillPlace());
      const all = Promise.all([...handedOn, ...places]);
      await Promise.race([all, condition(() => this.#mayHandOn())]);
      if (this.#mayHandOn()) return continueAsNew<typeof creditBatch>(this.#next());
      await all;
      await this.#activities.concludeBatch({
        folder,
        cancelled: this.#cancel !== null,
        counts: this.#counts,
      });
      tellBatchEnd(this.#counts);
      return this.#counts;
    });
  }

  /** Another part waits, all of this one are begun, and a place has come free. */
  #mayHandOn(): boolean {
    const { part, parts, concurrency } = this.#input;
    return (
      part + 1 < parts &&
      this.#cancel === null &&
      this.#open.length === 0 &&
      this.#starting === 0 &&
      this.#under.size < concurrency
    );
  }

  #next(): CreditBatchInput {
    const { part } = this.#input;
    const underWay = [...this.#under].map((workId) => ({ workId, isOwn: this.#own.has(workId) }));
    return {
      ...this.#input,
      part: part + 1,
      carried: { underWay, counts: this.#counts, paused: this.#paused },
    };
  }

  /** One of the analyses in flight after the other, as long as there are any to begin. */
  async #fillPlace(): Promise<void> {
    const { concurrency } = this.#input;
    for (;;) {
      const isOver = (): boolean => this.#open.length === 0 || this.#cancel !== null;
      // What was handed on takes its places.
      const isFree = (): boolean => !this.#paused && this.#under.size < concurrency;
      await condition(() => isOver() || isFree());
      if (isOver()) return;
      // Several are woken by one place.
      if (!isFree()) continue;
      const workId = this.#open.shift();
      if (workId === undefined) return;
      this.#under.add(workId);
      await this.#follow(workId, false);
    }
  }

  async #follow(workId: string, isUnderWay: boolean): Promise<void> {
    const status = await this.#endOf(workId, isUnderWay);
    this.#under.delete(workId);
    this.#own.delete(workId);
    this.#count(status ?? 'lost');
  }

  /** Null: nobody drives it any more, and it has no end. */
  async #endOf(workId: string, isUnderWay: boolean): Promise<AnalysisStatus | null> {
    let lookMs = firstLookMs;
    for (let look = isUnderWay; ; look = true) {
      if (look) {
        const status = await this.#lookFor(workId, lookMs);
        if (status !== null) return status;
        if (this.#cancel !== null) return null;
        lookMs = Math.min(lookMs * 2, longestLookMs);
      }
      const started = await this.#start(workId);
      if (started === null) continue;
      try {
        return (await started.result()).status;
      } catch (error) {
        if (!(error instanceof ChildWorkflowFailure)) throw error;
        log.warn('an analysis of the batch did not end well');
        return this.#lookFor(workId, 0);
      }
    }
  }

  /** Null: it runs already, started by a run before this one or by a person. */
  async #start(workId: string) {
    const { batchId, deadlineMs, queueSuffix } = this.#input;
    const ref = { workId, folder: analysisFolder(workId) };
    this.#starting += 1;
    try {
      const child = await startChild<typeof analyzeCredit>(analyzeCredit.name, {
        workflowId: analysisWorkflowId(thingOfAnalysis(workId)),
        args: [{ ref, deadlineAt: Date.now() + deadlineMs, queueSuffix }],
        typedSearchAttributes: attributesAtStart('credit-analysis', batchId),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        // What was sent is brought home whatever becomes of the batch.
        parentClosePolicy: ParentClosePolicy.ABANDON,
      });
      this.#own.add(workId);
      if (this.#cancel === 'now') cancelAnalysis(workId);
      return child;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
      throw error;
    } finally {
      this.#starting -= 1;
    }
  }

  async #lookFor(workId: string, forMs: number): Promise<AnalysisStatus | null> {
    try {
      return await this.#activities.awaitOutcome({ workId, until: Date.now() + forMs });
    } catch (error) {
      if (error instanceof ActivityFailure) return null;
      throw error;
    }
  }

  #cancelAll(how: 'wait' | 'now'): void {
    this.#cancel = how === 'now' ? how : (this.#cancel ?? how);
    if (how === 'now') for (const workId of this.#own) cancelAnalysis(workId);
  }

  #count(status: keyof AnalysisCounts): void {
    this.#counts[status] = (this.#counts[status] ?? 0) + 1;
  }

  #progress(): CreditBatchProgress {
    const { analyses } = this.#input;
    return {
      kind: 'credit-batch',
      total: analyses,
      counts: { ...this.#counts },
      underWay: this.#under.size,
      paused: this.#paused,
      cancelling: this.#cancel !== null,
    };
  }
}

function refuseIf(isSo: boolean, why: string): void {
  if (isSo) throw new Error(why);
}

/** One that ends meanwhile needs no cancelling. */
function cancelAnalysis(workId: string): void {
  getExternalWorkflowHandle(analysisWorkflowId(thingOfAnalysis(workId)))
    .cancel()
    .catch(() => undefined);
}
