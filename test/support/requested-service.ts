import { Limiter } from '../../src/apis/http/limiter';

/** A service that refuses what comes too often, asked by a batch, in a time of its own. */
export interface AskedService {
  /** Calls a second that it takes, by the second of the run. */
  allows: (second: number) => number;
  /** `bucket`: a second's worth may be saved up. `window`: so many in each second of the clock. */
  counts?: 'bucket' | 'window';
  /** Of rows whose calls are each refused so often whatever the rate, a share. */
  refusesAnyway?: [share: number, times: number];
  answerMs?: number;
  rows: number;
  /** Calls a second that were found before. */
  begins?: number;
  inFlight?: number;
  forSeconds?: number;
}

export interface Asked {
  rows: number;
  seconds: number;
  /** Answered well. */
  perSecond: number;
  paid: { asked: number; refused: number };
  reads: { asked: number; refused: number };
  /** Calls a second that were proved, each second. */
  rates: number[];
  /** Calls that were answered well, and that were refused, each second. */
  answers: [good: number, refused: number][];
}

/**
 * Each row is one request that costs money, and two reads.
 *
 * @param pass lets the time of the timers pass, which must not be that of the wall
 */
export async function ask(
  service: AskedService,
  pass: (ms: number) => Promise<void> = (ms) => jest.advanceTimersByTimeAsync(ms),
): Promise<Asked> {
  const {
    allows,
    counts = 'bucket',
    refusesAnyway: [odd, times] = [0, 0],
    answerMs = 40,
  } = service;
  const { rows, begins, inFlight = 100, forSeconds = 600 } = service;
  const startedAt = Date.now();
  const seconds = (): number => (Date.now() - startedAt) / 1_000;
  const limiter = new Limiter({ ...(begins !== undefined && { perSecond: begins }) });
  const paid = { asked: 0, refused: 0 };
  const reads = { asked: 0, refused: 0 };
  const rates: number[] = [];
  const answers: Asked['answers'] = [];
  let saved = allows(0);
  let savedAt = Date.now();
  let window = { second: -1, calls: 0 };
  let next = 0;
  let done = 0;

  const takes = (): boolean => {
    const most = allows(seconds());
    if (counts === 'window') {
      const second = Math.floor(Date.now() / 1_000);
      if (second !== window.second) window = { second, calls: 0 };
      window.calls += 1;
      return window.calls <= most;
    }
    saved = Math.min(Math.max(1, most), saved + ((Date.now() - savedAt) / 1_000) * most);
    savedAt = Date.now();
    if (saved < 1) return false;
    saved -= 1;
    return true;
  };
  const sleep = async (ms: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, ms));
  };
  const call = async (
    priority: 'request' | 'poll' | 'pdf',
    row: number,
    isOdd: boolean,
  ): Promise<void> => {
    const isPaid = priority === 'request';
    const told = isPaid ? paid : reads;
    for (let tries = 0; ; tries += 1) {
      await limiter.acquire(priority);
      const sentAt = Date.now();
      await sleep(answerMs / 2);
      const isTaken = takes();
      told.asked += 1;
      if (!isTaken) told.refused += 1;
      await sleep(answerMs / 2);
      if (isTaken && !(isOdd && tries < times)) {
        limiter.rate.answered(sentAt, isPaid, `${priority} ${row}`);
        return;
      }
      if (limiter.rate.refused(sentAt, `${priority} ${row}`)) limiter.pauseFor(1_000);
      await sleep(1_000 * 2 ** tries);
    }
  };
  const worker = async (): Promise<void> => {
    while (next < rows) {
      const row = (next += 1);
      const isOdd = odd > 0 && row % Math.round(1 / odd) === 0;
      await call('request', row, isOdd);
      await sleep(10);
      await call('poll', row, isOdd && times > 1);
      await call('pdf', row, false);
      done += 1;
    }
  };
  let [good, bad] = [0, 0];
  let isOver = false;
  void Promise.all(Array.from({ length: inFlight }, worker)).then(() => (isOver = true));
  while (!isOver && seconds() < forSeconds) {
    await pass(1_000);
    rates.push(limiter.rate.perSecond);
    const refused = paid.refused + reads.refused;
    answers.push([paid.asked + reads.asked - refused - good, refused - bad]);
    [good, bad] = [paid.asked + reads.asked - refused, refused];
  }
  return {
    rows: done,
    seconds: seconds(),
    perSecond: good / seconds(),
    paid,
    reads,
    rates,
    answers,
  };
}
