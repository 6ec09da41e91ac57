import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityFailure,
  CancellationScope,
  ChildWorkflowFailure,
  condition,
  getExternalWorkflowHandle,
  log,
  setHandler,
} from '@temporalio/workflow';
import { cancelUpdate, pauseUpdate, resumeUpdate, type CarriedWorks } from '../messages';

/** A work that this workflow did not see start is looked for so long, then started again. */
const firstLookMs = 10 * 60_000;
const longestLookMs = 6 * 3_600_000;

/** What every batch of works is started with. */
export interface BatchTerms {
  /** In the store; the ids of its works lie there in parts. */
  folder: string;
  parts: number;
  /** The part that this run drives, from 0. */
  part: number;
  /** Works in flight at once. */
  concurrency: number;
  /** From the start of a work to its outcome. */
  deadlineMs: number;
}

/** Works by how they ended; `lost`: without an end on file. */
export type WorkCounts = Partial<Record<string, number>>;

/** What is of one kind of work. */
export interface BatchRules {
  activities: {
    readBatchPart(input: {
      folder: string;
      part: number;
    }): Promise<{ open: string[]; ended: string[] }>;
    /** Null: it has not ended by then. */
    awaitOutcome(input: { workId: string; until: number }): Promise<string | null>;
    concludeBatch(input: { folder: string; cancelled: boolean; counts: WorkCounts }): Promise<void>;
  };
  workflowIdOf(workId: string): string;
  /** The work as a child that outlives the batch: what was sent is brought home. */
  start(workId: string, deadlineAt: number): Promise<StartedWork>;
  /** The next run, which drives the next part. Does not return. */
  handOn(part: number, carried: CarriedWorks): Promise<never>;
  tellEnd(counts: WorkCounts): void;
}

/** A child that has begun. */
export interface StartedWork {
  result(): Promise<{ status: string }>;
}

/**
 * Works of one kind, a few at once, each under its own id. A run drives one part of the list and
 * hands what is under way to the next, so that there may be any number of them.
 */
export class BatchDriver {
  readonly #terms: BatchTerms;
  readonly #rules: BatchRules;
  readonly #carried: CarriedWorks;
  readonly #counts: WorkCounts;
  /** Under way; those of them that the batch itself has started. */
  readonly #under = new Set<string>();
  readonly #own = new Set<string>();
  #open: string[] = [];
  #starting = 0;
  #paused: boolean;
  #cancel: 'wait' | 'now' | null = null;
  /** All have ended: nothing is left to hold or to stop. */
  #isOver = false;

  constructor(terms: BatchTerms, carried: CarriedWorks, rules: BatchRules) {
    this.#terms = terms;
    this.#rules = rules;
    this.#carried = carried;
    this.#counts = { ...carried.counts };
    this.#paused = carried.paused;
    setHandler(
      pauseUpdate,
      () => {
        this.#paused = true;
        return 'paused: what is under way goes on';
      },
      {
        validator: () => {
          this.#refuseOver();
          refuseIf(this.#cancel !== null, 'it is being cancelled');
        },
      },
    );
    setHandler(
      resumeUpdate,
      () => {
        this.#paused = false;
        return 'goes on';
      },
      { validator: () => refuseIf(!this.#paused, 'it is not paused') },
    );
    setHandler(
      cancelUpdate,
      ({ now }) => {
        this.#cancelAll(now ? 'now' : 'wait');
        return 'cancelling';
      },
      { validator: (_order) => this.#refuseOver() },
    );
    CancellationScope.current().cancelRequested.catch(() => this.#cancelAll('wait'));
  }

  /** How it stands, for a query. */
  get standing(): {
    counts: WorkCounts;
    underWay: number;
    paused: boolean;
    cancelling: boolean;
  } {
    return {
      counts: { ...this.#counts },
      underWay: this.#under.size,
      paused: this.#paused,
      cancelling: this.#cancel !== null,
    };
  }

  /** @returns how they ended, counted; each end stands in the store */
  async drive(): Promise<WorkCounts> {
    return CancellationScope.nonCancellable(async () => {
      const { folder, part, concurrency } = this.#terms;
      const { open, ended } = await this.#rules.activities.readBatchPart({ folder, part });
      for (const status of ended) this.#count(status);
      this.#open = open;
      const handedOn = this.#carried.underWay.map(({ workId, isOwn }) => {
        this.#under.add(workId);
        if (isOwn) this.#own.add(workId);
        return this.#follow(workId, true);
      });
      const places = Array.from({ length: concurrency }, () => this.#fillPlace());
      const all = Promise.all([...handedOn, ...places]);
      await Promise.race([all, condition(() => this.#mayHandOn())]);
      if (this.#mayHandOn()) return this.#rules.handOn(part + 1, this.#toCarry());
      await all;
      this.#isOver = true;
      await this.#rules.activities.concludeBatch({
        folder,
        cancelled: this.#cancel !== null,
        counts: this.#counts,
      });
      this.#rules.tellEnd(this.#counts);
      return this.#counts;
    });
  }

  /** Another part waits, all of this one are begun, and a place has come free. */
  #mayHandOn(): boolean {
    const { part, parts, concurrency } = this.#terms;
    return (
      part + 1 < parts &&
      this.#cancel === null &&
      this.#open.length === 0 &&
      this.#starting === 0 &&
      this.#under.size < concurrency
    );
  }

  #toCarry(): CarriedWorks {
    const underWay = [...this.#under].map((workId) => ({ workId, isOwn: this.#own.has(workId) }));
    return { underWay, counts: this.#counts, paused: this.#paused };
  }

  /** One of the works in flight after the other, as long as there are any to begin. */
  async #fillPlace(): Promise<void> {
    const { concurrency } = this.#terms;
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

  /** Null: it has no end on file, whether or not somebody else drives it, and it is not to be begun. */
  async #endOf(workId: string, isUnderWay: boolean): Promise<string | null> {
    const leftAt = Date.now() + this.#terms.deadlineMs;
    let lookMs = firstLookMs;
    for (let look = isUnderWay; ; look = true) {
      if (look) {
        const status = await this.#lookFor(workId, lookMs);
        if (status !== null) return status;
        lookMs = Math.min(lookMs * 2, longestLookMs);
        if (this.#cancel === 'now') return null;
        // What is under way is brought home; nothing is begun any more.
        if (this.#cancel === 'wait' && Date.now() >= leftAt) return null;
        if (this.#cancel === 'wait') continue;
      }
      const started = await this.#start(workId);
      if (started === null) continue;
      try {
        return (await started.result()).status;
      } catch (error) {
        if (!(error instanceof ChildWorkflowFailure)) throw error;
        log.warn('a work of the batch did not end well');
        return this.#lookFor(workId, 0);
      }
    }
  }

  /** Null: it runs already, started by a run before this one or by a person. */
  async #start(workId: string): Promise<StartedWork | null> {
    this.#starting += 1;
    try {
      const child = await this.#rules.start(workId, Date.now() + this.#terms.deadlineMs);
      this.#own.add(workId);
      if (this.#cancel === 'now') this.#cancelWork(workId);
      return child;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
      throw error;
    } finally {
      this.#starting -= 1;
    }
  }

  async #lookFor(workId: string, forMs: number): Promise<string | null> {
    try {
      const until = Date.now() + forMs;
      return await this.#rules.activities.awaitOutcome({ workId, until });
    } catch (error) {
      if (error instanceof ActivityFailure) return null;
      throw error;
    }
  }

  #cancelAll(how: 'wait' | 'now'): void {
    this.#cancel = how === 'now' ? how : (this.#cancel ?? how);
    if (how === 'now') for (const workId of this.#own) this.#cancelWork(workId);
  }

  #refuseOver(): void {
    refuseIf(this.#isOver, 'all of it has ended: its end is put on file');
  }

  /** One that ends meanwhile needs no cancelling. */
  #cancelWork(workId: string): void {
    getExternalWorkflowHandle(this.#rules.workflowIdOf(workId))
      .cancel()
      .catch(() => undefined);
  }

  #count(status: string): void {
    this.#counts[status] = (this.#counts[status] ?? 0) + 1;
  }
}

function refuseIf(isSo: boolean, why: string): void {
  if (isSo) throw new Error(why);
}
