import { Context } from '@temporalio/activity';

interface FreedSlot {
  freedAt: number;
  /** The chunk that took it. */
  takenBy: string | null;
}

interface Lane {
  /** Chunks that run here: what they do not take now they may take later. */
  chunks: number;
  /** Of each poll, what wakes it. */
  polls: (() => void)[];
  free: FreedSlot[];
  waiting: ((slot: FreedSlot) => void)[];
}

/** Slots that one poll frees. */
export interface SlotsOfPoll {
  /** A row has settled: its slot is free now. */
  free(): void;
  /** Since when a slot is free, untaken, and without a chunk that may take it; null: none is. */
  untakenSince(): number | null;
  /** Whether a chunk of its lane runs in this process. */
  chunksRun(): boolean;
  /** Withdraws untaken slots. Call it however the poll ends. */
  close(): void;
  /** Slots taken, by chunk. */
  handedOn(): [chunk: string, slots: number][];
}

/**
 * Passes slots within this process from the polls of a lane to its chunks before the workflow knows that
 * they are free (docs/decisions/009). Nothing remains when a poll ends.
 */
export class FreedSlots {
  readonly #lanes = new Map<string, Lane>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /**
   * @param lane `laneOfActivity()`
   * @param wake called when a chunk of the lane has ended
   */
  freedByPoll(lane: string, wake: () => void): SlotsOfPoll {
    const slots: FreedSlot[] = [];
    const chunksRun = (): boolean => (this.#lanes.get(lane)?.chunks ?? 0) > 0;
    this.#change(lane, (of) => void of.polls.push(wake));
    return {
      chunksRun,
      free: () => {
        const slot: FreedSlot = { freedAt: this.#now(), takenBy: null };
        slots.push(slot);
        this.#offer(lane, slot);
      },
      untakenSince: () => {
        if (chunksRun()) return null;
        return slots.find(({ takenBy }) => takenBy === null)?.freedAt ?? null;
      },
      close: () =>
        this.#change(lane, (of) => {
          of.free = of.free.filter((slot) => !slots.includes(slot));
          of.polls = of.polls.filter((one) => one !== wake);
        }),
      handedOn: () => {
        const taken = new Map<string, number>();
        for (const { takenBy: chunk } of slots) {
          if (chunk !== null) taken.set(chunk, (taken.get(chunk) ?? 0) + 1);
        }
        return [...taken];
      },
    };
  }

  /** A chunk of the lane may take slots until it calls the returned function, once or more often. */
  chunkRuns(lane: string): () => void {
    let runs = true;
    this.#change(lane, (of) => void (of.chunks += 1));
    return () => {
      if (!runs) return;
      runs = false;
      this.#change(lane, (of) => {
        of.chunks -= 1;
        for (const wake of of.polls) wake();
      });
    };
  }

  /**
   * Takes the slot that has been free for longest, or the next one to become free, in order of request.
   *
   * @param chunk reported to the workflow by the poll that freed the slot
   * @returns false on timeout
   */
  take(lane: string, chunk: string, waitMs: number): Promise<boolean> {
    const there = this.#lanes.get(lane)?.free[0];
    if (there !== undefined) {
      there.takenBy = chunk;
      this.#change(lane, (of) => void of.free.shift());
      return Promise.resolve(true);
    }
    if (waitMs <= 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      const give = (slot: FreedSlot): void => {
        clearTimeout(timer);
        slot.takenBy = chunk;
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#change(lane, (of) => {
          of.waiting = of.waiting.filter((one) => one !== give);
        });
        resolve(false);
      }, waitMs);
      this.#change(lane, (of) => void of.waiting.push(give));
    });
  }

  /** Lanes with a poll, a chunk or a free slot. */
  get size(): number {
    return this.#lanes.size;
  }

  #offer(lane: string, slot: FreedSlot): void {
    this.#change(lane, ({ free, waiting }) => {
      const give = waiting.shift();
      if (give === undefined) free.push(slot);
      else give(slot);
    });
  }

  #change(name: string, change: (lane: Lane) => void): void {
    const lane = this.#lanes.get(name) ?? { chunks: 0, polls: [], free: [], waiting: [] };
    change(lane);
    if (lane.chunks + lane.polls.length + lane.free.length + lane.waiting.length > 0)
      this.#lanes.set(name, lane);
    else this.#lanes.delete(name);
  }
}

/** The lane of the activity. An ended workflow execution passes nothing on. */
export function laneOfActivity(): string {
  const { workflowExecution } = Context.current().info;
  return `${workflowExecution?.workflowId ?? ''}/${workflowExecution?.runId ?? ''}`;
}
