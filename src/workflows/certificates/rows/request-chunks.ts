import type { CancellationScope } from '@temporalio/workflow';
import {
  chunkMs,
  type RequestRow,
  type RowAnswer,
  type UnsentReason,
} from '../../../domain/certificates/certificate-rows';

const limits = {
  chunkRows: 100,
  /** So few are not divided. */
  fewRows: 10,
  chunksInFlight: 3,
  /** A full chunk that returns within this time, or this time a row, leaves room for concurrent ones. */
  quickChunkMs: 500,
  quickRowMs: 50,
  /** One that has not returned by then may not have started. */
  usualMs: chunkMs + 1_000,
} as const;

/** The chunk that may start now. */
export interface NextChunk {
  /** 0: none may. */
  rows: number;
  /** That it may use. */
  slots: number;
}

export const noChunk: NextChunk = { rows: 0, slots: 0 };

/** A chunk of requests in flight. */
interface Chunk {
  rows: RequestRow[];
  /** Rows that it may have outstanding: given at its start, and freed by polls since. */
  slots: number;
  /** Of them, at its start. */
  given: number;
  /** Cancels it. */
  scope: Pick<CancellationScope, 'cancel' | 'consideredCancelled'>;
  /** Epoch milliseconds. */
  startedAt: number;
}

/**
 * The chunks of one driver: what those in flight hold, and how large the next one may be. Sizes and
 * bounds: decision record 002; slots: 009.
 */
export class RequestChunks {
  readonly #inFlight = new Map<string, Chunk>();
  #rows: number = limits.chunkRows;
  /** Concurrent chunks would only compete for permits. */
  #oneAtATime = false;
  /** Chunks in flight that may have started without a free slot; null: whether polls pass slots on is unknown. */
  #slotless: number | null = null;

  get size(): number {
    return this.#inFlight.size;
  }

  /** Rows in flight, by the names of their chunks. */
  rows(): [chunk: string, rows: RequestRow[]][] {
    return [...this.#inFlight].map(([run, { rows }]) => [run, rows]);
  }

  /** Slots of the chunks in flight. */
  slots(): number {
    let slots = 0;
    for (const chunk of this.#inFlight.values()) slots += chunk.slots;
    return slots;
  }

  /**
   * Each chunk that may be in flight gets an even part of rows and slots; more rows than slots where polls may pass
   * freed slots on to it.
   *
   * @param ready rows
   * @param free slots
   * @param probing one row on its own, to test whether the service accepts requests again
   */
  next(
    ready: number,
    free: number,
    { probing, polled }: { probing: boolean; polled: boolean },
  ): NextChunk {
    const allowed = probing || this.#oneAtATime ? 1 : limits.chunksInFlight;
    const left = allowed - this.#inFlight.size;
    if (left <= 0) return noChunk;
    const partOf = (all: number): number => Math.max(limits.fewRows, Math.ceil(all / left));
    const wanted = probing ? 1 : Math.min(this.#rows, ready, partOf(ready));
    const slots = Math.max(0, Math.min(wanted, free, partOf(free)));
    if (!polled) return { rows: slots, slots };
    const slotless = [...this.#inFlight.values()].filter(({ given }) => given === 0).length;
    const mayStart = slots > 0 || (slotless < (this.#slotless ?? 0) && !probing);
    if (!mayStart) return noChunk;
    // Some without a slot show when polls pass slots on again.
    return { rows: this.#slotless === 0 ? Math.min(wanted, slots * 2) : wanted, slots };
  }

  start(name: string, chunk: Omit<Chunk, 'startedAt' | 'given'>): void {
    this.#inFlight.set(name, { ...chunk, given: chunk.slots, startedAt: Date.now() });
  }

  /** A poll reads rows for the first time: what settles frees slots before the poll returns. */
  expectSlots(): void {
    this.#slotless ??= limits.chunksInFlight;
  }

  /**
   * Cancels chunks that no worker has taken: one that has started returns by itself.
   *
   * @returns when to check again
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

  /** The slots that a returned chunk used are counted with the outstanding rows already. */
  handOn(name: string, slots: number): void {
    const chunk = this.#inFlight.get(name);
    if (chunk !== undefined) chunk.slots += slots;
  }

  end(name: string): void {
    this.#inFlight.delete(name);
  }

  /**
   * A chunk returns rows that it had no time for: the rate was too high. If for want of permits, chunks
   * go one at a time until one is quick; slow responses need all concurrent chunks. After one that had time left the
   * next may be longer. Rows without a slot, and those whose request failed, prove nothing.
   *
   * @param given slots at its start
   */
  learn(answers: readonly RowAnswer[], given: number, tookMs: number): void {
    const isLate = answers.some((answer) => isOneOf(answer, ['no_permit', 'no_time']));
    const tried = answers.filter((answer) => wasSent(answer) || isOneOf(answer, ['not_sent']));
    const quickMs = Math.max(limits.quickChunkMs, tried.length * limits.quickRowMs);
    const isQuick = tried.length > 0 && tookMs < quickMs;
    if (isLate) {
      this.#rows = Math.max(1, tried.length);
      this.#oneAtATime = answers.some((answer) => isOneOf(answer, ['no_permit']));
    } else {
      const hadTime = tookMs < chunkMs / 2;
      if (hadTime) this.#rows = Math.min(limits.chunkRows, Math.max(this.#rows, tried.length * 2));
      if (isQuick) this.#oneAtATime = false;
    }
    if (given === answers.length) return;
    const hadAll = !answers.some((answer) => isOneOf(answer, ['no_permit', 'no_slot']));
    this.#slotless = hadAll ? Math.max(1, (this.#slotless ?? 0) + (isQuick ? 1 : 0)) : 0;
  }
}

function wasSent({ kind }: RowAnswer): boolean {
  return kind !== 'unsent';
}

function isOneOf(answer: RowAnswer, reasons: readonly UnsentReason[]): boolean {
  return answer.kind === 'unsent' && reasons.includes(answer.reason);
}
