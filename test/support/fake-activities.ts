import { setTimeout as breathe } from 'node:timers/promises';
import type { createCertificateDecisionActivities } from '../../src/activities/certificates/decisions';
import type { createCertificateDeferralActivities } from '../../src/activities/certificates/deferrals';
import type { createCertificateMergeActivities } from '../../src/activities/certificates/finalize';
import type { createCertificateRecoveryActivities } from '../../src/activities/certificates/recovery';
import type { createCertificateRequestActivities } from '../../src/activities/certificates/requests';
import type { createCertificatePollActivities } from '../../src/activities/certificates/polls';
import { AcceptedRows } from '../../src/activities/certificates/accepted-rows';
import { FreedSlots } from '../../src/activities/certificates/freed-slots';
import {
  chunkMs,
  pollRows,
  polledRow,
  type AgainRow,
  type RequestInput,
  type RequestRow,
  type RowAnswer,
  type ChunkInput,
  type PollAnswer,
  type PollInput,
  type PolledRow,
} from '../../src/domain/certificates/certificate-rows';
import { noCounts } from '../../src/domain/certificates/certificates';
import { nextPollMs } from '../../src/domain/core/service/poll-timing';
import { FakeService, type RowScript } from './fake-activities-service';

/** On the wall: until the server has what an activity ended with. */
const reachesServerMs = 20;

/** What a worker of each queue must offer: drift from the real activities does not compile. */
export type RequestQueueActivities = ReturnType<typeof createCertificateRequestActivities> &
  ReturnType<typeof createCertificateRecoveryActivities>;
export type PollQueueActivities = ReturnType<typeof createCertificatePollActivities> &
  ReturnType<typeof createCertificateDeferralActivities> &
  ReturnType<typeof createCertificateMergeActivities> &
  ReturnType<typeof createCertificateDecisionActivities>;
export type CertificateActivities = RequestQueueActivities & PollQueueActivities;
type ActivityName = keyof CertificateActivities;
type InputOf<Name extends ActivityName> = Parameters<CertificateActivities[Name]>[0];

/** Time as the server has it: it stands still while an activity runs, and skips while one sleeps. */
export interface ActivityClock {
  now(): Promise<number>;
  /** @returns false when the activity was cancelled meanwhile */
  sleep(ms: number): Promise<boolean>;
  /** Until no workflow task of its workflow is under way. */
  untilNoTask(): Promise<void>;
}

export interface Call<Name extends ActivityName = ActivityName> {
  activity: Name;
  at: number;
  input: InputOf<Name>;
}

export interface FakeOptions {
  usual?: RowScript;
  /** Virtual time that the request of one row takes. */
  requestMs?: number;
  /** Time between two reads of a row, instead of the real pace. */
  pollMs?: number;
}

/** Most rows of one lane, or of all, that were being requested or unsettled at one moment. */
class InFlight {
  most = 0;
  #now = 0;

  add(count: number): void {
    this.#now += count;
    this.most = Math.max(this.most, this.#now);
  }
}

/** The activities of one test, over a service in memory; keeps what it was called with. */
export class FakeActivities {
  readonly service: FakeService;
  readonly calls: Call[] = [];
  /** Rows that a lane has put aside, by their places. */
  readonly deferred = new Map<number, AgainRow>();
  /** Answers of `proveAccess`, in order; `ok` when they are used up. */
  readonly access: ('ok' | 'credentials' | 'unreachable')[] = [];
  /** Runs before the fake does its own part; what it throws, the activity throws. */
  readonly before: { [Name in ActivityName]?: (input: InputOf<Name>) => Promise<void> | void } = {};
  /** What a watch does when it is cancelled. */
  cancelledWatch: 'hands back' | 'fails' = 'hands back';
  trouble: 'credentials' | 'unreachable' | null = null;
  /** As between the queues of one worker; false is as with watches at one and runs at another. */
  handsOn = true;
  decided = 0;
  /** What the work came to, as the merge says it. */
  readonly merged = noCounts();
  reads = 0;
  readonly runsInFlight = new Map<string, InFlight>();
  readonly rowsInFlight = new Map<string, InFlight>();
  readonly watchesInFlight = new InFlight();
  readonly watchAnswers: PollAnswer[] = [];
  readonly #freedPlaces = new FreedSlots(() => this.#freedAt);
  readonly #acceptedRows = new AcceptedRows();
  #freedAt = 0;
  #turn: Promise<void> = Promise.resolve();
  readonly #options: FakeOptions;

  constructor(scripts: Record<number, RowScript> = {}, options: FakeOptions = {}) {
    this.service = new FakeService(scripts, options.usual);
    this.#options = options;
  }

  callsOf<Name extends ActivityName>(activity: Name): Call<Name>[] {
    return this.calls.filter((call): call is Call<Name> => call.activity === activity);
  }

  /** @param clock of the activity that runs now */
  activities(clock: () => ActivityClock, watchCancelled: () => Promise<never>) {
    const enter = async <Name extends ActivityName>(
      activity: Name,
      input: InputOf<Name>,
    ): Promise<{ at: number; time: ActivityClock }> => {
      const time = clock();
      const at = await time.now();
      this.calls.push({ activity, at, input });
      const before = this.before[activity] as ((given: typeof input) => Promise<void>) | undefined;
      await before?.(input);
      return { at, time };
    };

    const requests: RequestQueueActivities = {
      requestCertificates: async (input) => {
        const { time } = await enter('requestCertificates', input);
        try {
          return await this.#request(input, time);
        } finally {
          await this.#inTurn(time);
        }
      },
      proveAccess: async () => {
        await enter('proveAccess', undefined as never);
        return this.access.shift() ?? 'ok';
      },
      recoverRequests: async (input) => {
        const { at } = await enter('recoverRequests', input);
        return this.#found(input, (row) => this.service.recover(row, input, at));
      },
      rereadReceipts: async (input) => {
        const { at } = await enter('rereadReceipts', input);
        return this.#found(input, (row) => this.service.reread(row, at));
      },
    };
    const watches: PollQueueActivities = {
      pollCertificates: async (input) => {
        const { time } = await enter('pollCertificates', input);
        this.watchesInFlight.add(1);
        const answer = await this.#watch(input, time).finally(() => this.watchesInFlight.add(-1));
        if (answer === 'cancelled') return watchCancelled();
        this.watchAnswers.push(answer);
        await this.#inTurn(time);
        return answer;
      },
      leaveOutstanding: async (input) => {
        await enter('leaveOutstanding', input as PollInput);
      },
      deferRows: async (input) => {
        await enter('deferRows', input);
        for (const row of input.rows) this.deferred.set(row.rowIndex, row);
      },
      takeDeferredRows: async (input) => {
        await enter('takeDeferredRows', input);
        const held = [...this.deferred.values()].sort((a, b) => a.notBefore - b.notBefore);
        const within = held.filter(
          (row) => row.notBefore >= input.from && row.notBefore <= input.to,
        );
        const rows = within.slice(0, input.limit);
        for (const { rowIndex } of rows) this.deferred.delete(rowIndex);
        const left = [...this.deferred.values()].map((row) => row.notBefore);
        return { rows, soonest: left.length === 0 ? null : Math.min(...left) };
      },
      dropDeferredRows: async (input) => {
        await enter('dropDeferredRows', input);
        this.deferred.clear();
      },
      finalizeRows: async (input) => {
        await enter('finalizeRows', input);
        const { jobId: batchId, edition } = input;
        const told = { total: 0, blankLines: 0, requested: 0, reused: 0, possibleDoubleCharges: 0 };
        const times = { startedAt: '', finishedAt: '' };
        const counts = { ...this.merged };
        return { batchId, edition, ...told, counts, cost: null, inputName: null, ...times };
      },
      carryOutDecision: async (input) => {
        await enter('carryOutDecision', input);
        const folder = `${input.folder}/decisions/${input.number}`;
        return { folder, items: this.decided, outcomesIn: input.folder };
      },
    };
    return { requests, watches };
  }

  #rows(name: string): { add: (count: number) => void } {
    const both = [inFlightOf(this.rowsInFlight, name), inFlightOf(this.rowsInFlight, 'all')];
    return { add: (count) => both.forEach((one) => one.add(count)) };
  }

  #found({ name, rows }: RequestInput, look: (row: RequestRow) => RowAnswer): RowAnswer[] {
    const answers = rows.map(look);
    this.#rows(name).add(answers.filter(({ kind }) => kind === 'accepted').length);
    return answers;
  }

  async #request(input: ChunkInput, time: ActivityClock) {
    const runs = inFlightOf(this.runsInFlight, input.name);
    const rows = this.#rows(input.name);
    let { slots } = input;
    let waits = this.handsOn;
    runs.add(1);
    rows.add(slots);
    const ended = this.#freedPlaces.chunkRuns(input.name);
    try {
      const { requestMs = 0 } = this.#options;
      if (requestMs > 0) await time.sleep(requestMs * slots);
      const startedAt = await time.now();
      let now = startedAt;
      const answers: RowAnswer[] = [];
      for (const [index, row] of input.rows.entries()) {
        const stopped = answers.find(endsRun);
        const failures = answers.filter(hasFailed).length;
        const isLeftOut = failures > 1 || answers.slice(-1).some(hasFailed);
        waits &&= stopped === undefined && !isLeftOut && now < startedAt + chunkMs - 100;
        if (index >= slots && waits) {
          waits = await this.#takePlace(input, time);
          now = await time.now();
          if (waits) rows.add(1);
          if (waits) slots += 1;
        }
        const answer =
          stopped !== undefined
            ? unsent(row, 'no_time', stopped.notBefore)
            : isLeftOut
              ? unsent(row, 'neighbour', 0)
              : index < slots
                ? this.service.request(row, input, now)
                : unsent(row, 'no_slot', now);
        if (answer === null) throw new Error('the worker was lost');
        answers.push(answer);
      }
      rows.add(answers.filter((answer) => answer.kind === 'accepted').length - slots);
      return this.handsOn ? await this.#takenOver(input.name, answers, now) : answers;
    } catch (error) {
      rows.add(-slots);
      throw error;
    } finally {
      ended();
      runs.add(-1);
    }
  }

  /** A poll of the lane that runs takes over what was accepted. */
  async #takenOver(lane: string, answers: RowAnswer[], now: number): Promise<RowAnswer[]> {
    const offers = this.#acceptedRows.ofChunk(lane);
    for (const answer of answers)
      if (answer.kind === 'accepted') offers.offer(polledRow(answer, now), Promise.resolve(true));
    await Promise.resolve();
    const polls = offers.close();
    return answers.map((answer) => {
      const polledBy = polls.get(answer.rowIndex);
      return polledBy === undefined ? answer : ({ ...answer, polledBy } as RowAnswer);
    });
  }

  /** Waits as long as a real run would for a place that a watch has freed. */
  async #takePlace({ name: lane, chunk }: ChunkInput, time: ActivityClock): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < 300; waitedMs += 50) {
      if (await this.#freedPlaces.take(lane, chunk, 0)) return true;
      await time.sleep(50);
    }
    return false;
  }

  /** Reads what is due, as the real watch does, without a service between. */
  async #watch(input: PollInput, time: ActivityClock) {
    const startedAt = await time.now();
    const held = new Map<number, PolledRow>(input.rows.map((row) => [row[0], [...row]]));
    const answer: PollAnswer = {
      settled: [],
      tookOver: [],
      due: [],
      unreadable: 0,
      handedOn: [],
      readFailure: this.trouble,
    };
    const freed = this.#freedPlaces.freedByPoll(input.name, () => {});
    const takesNoMore = this.#acceptedRows.takenBy(input.name, {
      poll: input.poll,
      take: (row) => this.handsOn && held.size < pollRows && held.set(row[0], [...row]).size > 0,
    });
    let firstSettledAt = Infinity;
    for (let now = startedAt; ; now = await time.now()) {
      answer.readFailure = this.trouble;
      for (const tuple of held.values()) {
        const settled = this.#read(tuple, now, input.rowDeadlineMs);
        if (settled === null) continue;
        if (this.service.issuances.get(tuple[1])?.ending.as === 'unreadable')
          answer.unreadable += 1;
        held.delete(tuple[0]);
        answer.settled.push(settled);
        if (!input.rows.some(([, id]) => id === tuple[1]))
          answer.tookOver.push([tuple[0], tuple[1]]);
        this.#rows(input.name).add(-1);
        firstSettledAt = Math.min(firstSettledAt, now);
        this.#freedAt = now;
        freed.free();
      }
      const stays = this.handsOn && freed.chunksRun();
      const returnsAt = Math.min(
        startedAt + input.boundMs,
        firstSettledAt + (stays ? chunkMs : input.lingerMs),
        (freed.untakenSince() ?? Infinity) + input.slotLingerMs,
      );
      if ((held.size === 0 && !stays) || now >= returnsAt) break;
      // When the last chunk has ended, it returns.
      const looksAt = stays ? now + 50 : Infinity;
      const next = Math.min(looksAt, returnsAt, ...[...held.values()].map((tuple) => tuple[3]));
      if (await time.sleep(next - now)) continue;
      if (this.cancelledWatch === 'hands back') break;
      freed.close();
      takesNoMore();
      return 'cancelled';
    }
    freed.close();
    takesNoMore();
    answer.handedOn = freed.handedOn();
    for (const [rowIndex, , , dueAt] of held.values()) {
      if (input.rows.find((row) => row[0] === rowIndex)?.[3] !== dueAt)
        answer.due.push([rowIndex, dueAt]);
    }
    return answer;
  }

  /**
   * Activities end one after the other, none during a workflow task. When a task asks to cancel an
   * activity that ends meanwhile, the time-skipping server refuses the task, forgets that end, and gives
   * no other task (ACTIVITY_UNKNOWN): a lane that hands over cancels its watches.
   */
  #inTurn(time: ActivityClock): Promise<void> {
    const end = this.#turn.then(() => time.untilNoTask());
    this.#turn = end.then(() => breathe(reachesServerMs));
    return end;
  }

  #read(tuple: PolledRow, now: number, rowDeadlineMs: number) {
    const [rowIndex, certidaoId, requestedAt, dueAt] = tuple;
    const deadlineAt = requestedAt + rowDeadlineMs;
    if (now < Math.min(dueAt, deadlineAt)) return null;
    this.reads += 1;
    const ending = this.service.issuances.get(certidaoId)?.ending;
    if (ending === undefined) throw new Error(`nobody was ever given the id ${certidaoId}`);
    if (ending.as !== 'never' && now >= requestedAt + ending.afterMs) {
      if (ending.as === 'unreadable') return [rowIndex, 'failed'] as const satisfies unknown[];
      return ending.as === 'retryable'
        ? ([rowIndex, 'retryable', now + ending.againAfterMs] as const satisfies unknown[])
        : ([rowIndex, ending.as] as const satisfies unknown[]);
    }
    if (now >= deadlineAt) return [rowIndex, 'expired'] as const satisfies unknown[];
    tuple[3] = now + (this.#options.pollMs ?? nextPollMs(now - requestedAt, 0.5));
    return null;
  }
}

function inFlightOf(all: Map<string, InFlight>, name: string): InFlight {
  const one = all.get(name) ?? new InFlight();
  all.set(name, one);
  return one;
}

type Unsent = Extract<RowAnswer, { kind: 'unsent' }>;

/** What concerns all rows. */
function endsRun(answer: RowAnswer): answer is Unsent {
  const aboutOne = ['in_flight', 'neighbour', 'no_slot', 'not_sent'];
  return answer.kind === 'unsent' && !aboutOne.includes(answer.reason);
}

function hasFailed(answer: RowAnswer): boolean {
  if (answer.kind === 'unknown') return answer.own;
  return answer.kind === 'unsent' && answer.reason === 'not_sent';
}

function unsent(
  [rowIndex, attempts]: RequestRow,
  reason: Unsent['reason'],
  notBefore: number,
): Unsent {
  return { kind: 'unsent', rowIndex, attempts, reason, notBefore };
}
