import type {
  RequestInput,
  RequestRow,
  RowAnswer,
  UnsentReason,
} from '../../src/domain/certificates/certificate-rows';

/** What comes of one request for a row. The last one of a script holds for all that follow. */
export type Answer =
  | 'accept'
  | 'refuse'
  | 'reuse'
  | 'unknown'
  /** Another work has asked for it, and the outcome is unknown: nothing is sent. */
  | 'unknown elsewhere'
  /** The request left, and the worker was lost with the answer; recovery finds the receipt, or not. */
  | { lost: 'accepted' | 'unknown' }
  | { unsent: UnsentReason; waitMs?: number };

/** How an issuance ends, counted from its request. */
export type Ending =
  | { as: 'issued' | 'failed'; afterMs: number }
  /** Failed: responses about it cannot be read. */
  | { as: 'unreadable'; afterMs: number }
  | { as: 'retryable'; afterMs: number; againAfterMs: number }
  | { as: 'never' };

export interface RowScript {
  answers?: Answer[];
  endings?: Ending[];
  /** What a late receipt says when receipts are read again. */
  late?: 'accepted' | 'not_sent';
}

export interface Issuance {
  rowIndex: number;
  certidaoId: string;
  requestedAt: number;
  ending: Ending;
}

/** One request that left, or may have left. */
export interface Sent {
  rowIndex: number;
  attempts: number;
  mode: RequestRow[2];
  at: number;
  run: string;
  name: string;
}

/** A certificate service and its claims in memory, that does with each rowIndex what its script says. */
export class FakeService {
  readonly sent: Sent[] = [];
  readonly issuances = new Map<string, Issuance>();
  /** Used where a rowIndex has no script, or its script says nothing. */
  readonly usual: { answers: Answer[]; endings: Ending[] };
  /** While set, nothing is taken from anybody. */
  shut: { unsent: UnsentReason; waitMs?: number } | null = null;
  readonly #scripts: Record<number, RowScript>;
  readonly #visits = new Map<number, number>();
  readonly #answersOfRuns = new Map<string, Map<number, RowAnswer>>();

  constructor(scripts: Record<number, RowScript> = {}, usual: RowScript = {}) {
    this.#scripts = scripts;
    this.usual = {
      answers: usual.answers ?? ['accept'],
      endings: usual.endings ?? [{ as: 'issued', afterMs: 0 }],
    };
  }

  /** Places of the requests that left, in order. */
  get places(): number[] {
    return this.sent.map(({ rowIndex }) => rowIndex);
  }

  sentFor(rowIndex: number): Sent[] {
    return this.sent.filter((sent) => sent.rowIndex === rowIndex);
  }

  /** @returns null when the worker is lost with this row */
  request(row: RequestRow, input: RequestInput, at: number): RowAnswer | null {
    const [rowIndex, attempts, mode] = row;
    if (this.shut !== null) {
      const { unsent: reason, waitMs = 0 } = this.shut;
      return { kind: 'unsent', rowIndex, attempts, reason, notBefore: at + waitMs };
    }
    const visit = this.#visits.get(rowIndex) ?? 0;
    this.#visits.set(rowIndex, visit + 1);
    const answer = nth(this.#scripts[rowIndex]?.answers ?? this.usual.answers, visit);
    if (typeof answer === 'object' && 'unsent' in answer) {
      const { unsent: reason, waitMs = 0 } = answer;
      return { kind: 'unsent', rowIndex, attempts, reason, notBefore: at + waitMs };
    }
    if (answer === 'unknown elsewhere') return { kind: 'unknown', rowIndex, attempts, own: false };
    if (answer === 'reuse') return { kind: 'settled', rowIndex, status: 'issued', attempts };
    this.sent.push({ rowIndex, attempts, mode, at, run: input.chunk, name: input.name });
    const lost = typeof answer === 'object';
    const told = this.#answerSent(lost ? answer.lost : answer, rowIndex, attempts + 1, at);
    const ofRun = this.#answersOfRuns.get(input.chunk) ?? new Map<number, RowAnswer>();
    this.#answersOfRuns.set(input.chunk, ofRun.set(rowIndex, told));
    return lost ? null : told;
  }

  /** What the claims of a run say; a row without one is closed, and comes back unsent. */
  recover([rowIndex, attempts]: RequestRow, input: RequestInput, at: number): RowAnswer {
    const found = this.#answersOfRuns.get(input.chunk)?.get(rowIndex);
    return found ?? { kind: 'unsent', rowIndex, attempts, reason: 'no_time', notBefore: at };
  }

  reread([rowIndex, attempts]: RequestRow, at: number): RowAnswer {
    const late = this.#scripts[rowIndex]?.late;
    if (late === 'accepted') return this.#accept(rowIndex, attempts, at);
    return late === 'not_sent'
      ? { kind: 'unsent', rowIndex, attempts, reason: 'no_time', notBefore: at }
      : { kind: 'unknown', rowIndex, attempts, own: true };
  }

  #answerSent(
    answer: 'accept' | 'accepted' | 'refuse' | 'unknown',
    rowIndex: number,
    attempts: number,
    at: number,
  ): RowAnswer {
    if (answer === 'unknown') return { kind: 'unknown', rowIndex, attempts, own: true };
    if (answer === 'refuse') return { kind: 'settled', rowIndex, status: 'failed', attempts };
    return this.#accept(rowIndex, attempts, at);
  }

  #accept(rowIndex: number, attempts: number, requestedAt: number): RowAnswer {
    const certidaoId = `c-${rowIndex}-${attempts}`;
    const earlier = [...this.issuances.values()].filter((one) => one.rowIndex === rowIndex).length;
    const ending = nth(this.#scripts[rowIndex]?.endings ?? this.usual.endings, earlier);
    this.issuances.set(certidaoId, { rowIndex, certidaoId, requestedAt, ending });
    return { kind: 'accepted', rowIndex, certidaoId, requestedAt, attempts, flags: 0 };
  }
}

function nth<T>(list: readonly T[], index: number): T {
  const found = list[Math.min(index, list.length - 1)];
  if (found === undefined) throw new Error('a script must not be empty');
  return found;
}
