import { Context } from '@temporalio/activity';

interface FreedSlot {
  freedAt: number;
  /** The run that took it. */
  takenBy: string | null;
}

interface Lane {
  free: FreedSlot[];
  waiting: ((slot: FreedSlot) => void)[];
}

/** What one watch frees. */
export interface SlotsOfPoll {
  /** A row has settled: its place may be taken from now on. */
  free(): void;
  /** The instant since which one of them waits for a run; null when every one was taken. */
  untakenSince(): number | null;
  /** Withdraws what nobody took. Call it however the watch ends. */
  close(): void;
  /** Places taken, by run. */
  handedOn(): [run: string, places: number][];
}

/**
 * Hands places on within this process, from the watches of a lane to its runs of requests, before
 * the workflow has heard that they are free (docs/decisions/009). Nothing stays when a watch ends.
 */
export class FreedSlots {
  readonly #lanes = new Map<string, Lane>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** @param lane `laneOfActivity()` */
  freedByPoll(lane: string): SlotsOfPoll {
    const slots: FreedSlot[] = [];
    return {
      free: () => {
        const slot: FreedSlot = { freedAt: this.#now(), takenBy: null };
        slots.push(slot);
        this.#offer(lane, slot);
      },
      untakenSince: () => slots.find(({ takenBy }) => takenBy === null)?.freedAt ?? null,
      close: () =>
        this.#change(lane, (of) => {
          of.free = of.free.filter((slot) => !slots.includes(slot));
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

  /**
   * Takes the place that has been free for longest, or else the next one to become free: who asked
   * first is served first.
   *
   * @param chunk the run that takes it, reported to the workflow by the poll that freed it
   * @returns false when there was none in time
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

  /** Lanes in which a place waits for a run, or a run for a place. */
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
    const lane = this.#lanes.get(name) ?? { free: [], waiting: [] };
    change(lane);
    if (lane.free.length + lane.waiting.length > 0) this.#lanes.set(name, lane);
    else this.#lanes.delete(name);
  }
}

/** Names the lane that the activity works for. A run of a workflow that ended hands nothing on. */
export function laneOfActivity(): string {
  const { workflowExecution } = Context.current().info;
  return `${workflowExecution?.workflowId ?? ''}/${workflowExecution?.runId ?? ''}`;
}
