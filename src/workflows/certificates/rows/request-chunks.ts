import type { CancellationScope } from '@temporalio/workflow';
import type {
  RequestRow,
  RowAnswer,
  UnsentReason,
} from '../../../domain/certificates/certificate-rows';

const limits = {
  chunkRows: 10,
  chunksInFlight: 3,
  /** A full run that is back within this time leaves room for others beside it. */
  quickChunkMs: 500,
  /** One that is not back by then may not have begun. */
  usualMs: 2_000,
} as const;

/** A run of requests in flight. */
interface Chunk {
  rows: RequestRow[];
  /** Rows that it may have outstanding: given to it at its start, and handed on by watches since. */
  slots: number;
  /** Ends it when it is cancelled. */
  scope: Pick<CancellationScope, 'cancel' | 'consideredCancelled'>;
  /** Epoch milliseconds. */
  startedAt: number;
}

/**
 * The runs of requests of one driver: what those in flight hold, and what the next one may be. Sizes
 * and bounds have their reasons in decision record 002, places in 009.
 */
export class RequestChunks {
  readonly #inFlight = new Map<string, Chunk>();
  #rows: number = limits.chunkRows;
  /** Runs would only take the permits from each other. */
  #oneAtATime = false;
  /** Runs that may start without a place of their own: each follows one that was handed all it asked. */
  #followUps = 0;

  get size(): number {
    return this.#inFlight.size;
  }

  /** Rows of those in flight, by the names of the runs. */
  rows(): [run: string, rows: RequestRow[]][] {
    return [...this.#inFlight].map(([run, { rows }]) => [run, rows]);
  }

  /** Rows that those in flight may have outstanding. */
  slots(): number {
    let slots = 0;
    for (const chunk of this.#inFlight.values()) slots += chunk.slots;
    return slots;
  }

  /**
   * Rows of the run that may start now; 0 when none may. More of them than places where watches may
   * hand on to it what becomes free meanwhile.
   *
   * @param probing one row, on its own, to see whether the way is open again
   */
  nextRows(
    ready: number,
    slots: number,
    { probing, polled }: { probing: boolean; polled: boolean },
  ): number {
    const allowed = probing || this.#oneAtATime ? 1 : limits.chunksInFlight;
    if (this.#inFlight.size >= allowed) return 0;
    const wanted = Math.min(probing ? 1 : this.#rows, ready);
    if (slots <= 0) return this.#followUps > 0 && !probing ? wanted : 0;
    return polled ? wanted : Math.min(wanted, slots);
  }

  start(name: string, chunk: Omit<Chunk, 'startedAt'>): void {
    if (chunk.slots === 0) this.#followUps -= 1;
    this.#inFlight.set(name, { ...chunk, startedAt: Date.now() });
  }

  /**
   * Ends those that no worker has taken: one that has begun is back by itself, or ends between two rows.
   *
   * @returns when to look again
   */
  cancelQueued(now: number): number {
    let next = Infinity;
    for (const { scope, startedAt } of this.#inFlight.values()) {
      if (scope.consideredCancelled) continue;
      if (startedAt + limits.usualMs <= now) scope.cancel();
      else next = Math.min(next, startedAt + limits.usualMs);
    }
    return next;
  }

  /** A follow-up starts at once or not at all. */
  dropFollowUps(): void {
    this.#followUps = 0;
  }

  /** Of a run that is back, what it did with its places is among the outstanding rows already. */
  handOn(name: string, slots: number): void {
    const chunk = this.#inFlight.get(name);
    if (chunk !== undefined) chunk.slots += slots;
  }

  end(name: string): void {
    this.#inFlight.delete(name);
  }

  /**
   * What a run brings back unsent it had no time for: ask for what can be had. For want of permits,
   * in one run at a time as well, until a full one returns in half of its second; slow answers on the
   * other hand need all the runs there may be. Rows that found no slot prove nothing.
   *
   * @param given places that it had at its start
   */
  learn(answers: readonly RowAnswer[], given: number, tookMs: number): void {
    const tried = answers.filter((answer) => unsentFor(answer) !== 'no_slot');
    const sent = tried.filter(wasSent).length;
    if (sent < tried.length) {
      this.#rows = Math.max(1, sent);
      this.#oneAtATime = tried.some((answer) => unsentFor(answer) === 'no_permit');
    } else if (sent > 0 && tookMs < limits.quickChunkMs) {
      this.#rows = Math.min(limits.chunkRows, Math.max(this.#rows, sent * 2));
      this.#oneAtATime = false;
    }
    if (sent === answers.length && given < sent) this.#followUps += 1;
  }
}

export function wasSent({ kind }: RowAnswer): boolean {
  return kind !== 'unsent';
}

function unsentFor(answer: RowAnswer): UnsentReason | null {
  return answer.kind === 'unsent' ? answer.reason : null;
}
