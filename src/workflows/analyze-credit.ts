import {
  ActivityFailure,
  CancellationScope,
  condition,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  AnalysisOutcome,
  AnalysisRef,
  RequestAnswer,
  WaitAnswer,
} from '../domain/credit/work';
import { backoffMs } from '../domain/poll-timing';
import { creditActivities } from './credit-activities';
import {
  analysisProgressQuery,
  cancelUpdate,
  resumeUpdate,
  type AnalysisProgress,
  type AnalyzeCreditInput,
} from './messages';
import { tellAnalysisEnd, tellAttention } from './search-attributes';

/** Each try is history: one that is turned away for a day stays below a thousand events. */
const longestPauseMs = 15 * 60_000;

type Accepted = Extract<RequestAnswer, { kind: 'accepted' }>;
type Ending = Pick<AnalysisOutcome, 'status'> & Partial<AnalysisOutcome>;

/** One file, analysed: uploaded at most once, waited for, both results on file. */
export async function analyzeCredit(input: AnalyzeCreditInput): Promise<AnalysisOutcome> {
  return new AnalysisDriver(input).drive();
}

class AnalysisDriver {
  readonly #input: AnalyzeCreditInput;
  readonly #ref: AnalysisRef;
  readonly #activities: ReturnType<typeof creditActivities>;
  readonly #startedAt = Date.now();
  readonly #wait = new CancellationScope();
  #stage: AnalysisProgress['stage'] = 'uploading';
  #waiting: AnalysisProgress['waiting'] = null;
  #operationId: string | null = null;
  #afterUnknown = false;
  #cancelling = false;
  #resumed = false;

  constructor(input: AnalyzeCreditInput) {
    this.#input = input;
    this.#ref = input.ref;
    this.#activities = creditActivities(input.queueSuffix);
    setHandler(analysisProgressQuery, () => this.#progress());
    setHandler(cancelUpdate, () => {
      this.#cancel();
      return 'cancelling';
    });
    setHandler(resumeUpdate, () => {
      this.#resumed = true;
      return this.#waiting === null ? 'nothing is waited for' : 'trying at once';
    });
    CancellationScope.current().cancelRequested.catch(() => this.#cancel());
  }

  /** What was begun is put on record whatever is cancelled meanwhile. */
  async drive(): Promise<AnalysisOutcome> {
    return CancellationScope.nonCancellable(async () => {
      const ending = await this.#run();
      this.#stage = 'done';
      this.#waiting = null;
      const outcome = await this.#activities.concludeAnalysis({
        ref: this.#ref,
        outcome: {
          operationId: this.#operationId,
          statusWord: null,
          error: null,
          result: null,
          possibleDoubleCharge: this.#afterUnknown,
          startedAt: new Date(this.#startedAt).toISOString(),
          ...ending,
        },
      });
      tellAnalysisEnd(outcome.status);
      return outcome;
    });
  }

  async #run(): Promise<Ending> {
    const answer = await this.#request();
    if ('status' in answer) return answer;
    this.#operationId = answer.operationId;
    this.#afterUnknown = answer.afterUnknown;
    this.#stage = 'waiting';
    const waited = await this.#await(answer);
    if (waited === 'cancelled') return { status: 'cancelled', error: left };
    const { statusWord } = waited;
    if (waited.kind === 'expired') {
      const message = 'the operation had not settled at its deadline';
      return { status: 'expired', statusWord, error: { code: 'deadline', message } };
    }
    if (waited.kind === 'failed') {
      const { code, message } = waited;
      return { status: 'failed', statusWord, error: { code, message } };
    }
    this.#stage = 'fetching';
    return this.#fetch(answer, statusWord);
  }

  /** Until it is accepted, refused, unknown, or there is no more time to send it. */
  async #request(): Promise<Accepted | Ending> {
    for (let turnedAway = 0; ; turnedAway += 1) {
      if (this.#cancelling) return neverSent('cancelled before it was sent');
      const answer = await this.#requestOnce(turnedAway);
      switch (answer.kind) {
        case 'accepted':
          this.#setWaiting(null);
          return answer;
        case 'refused': {
          const { code, message } = answer;
          return { status: 'refused', error: { code, message } };
        }
        case 'unknown': {
          const error = { code: 'unknown_outcome', message: answer.reason };
          return { status: 'unknown_outcome', error };
        }
        case 'unsent':
          if (Date.now() >= this.#input.deadlineAt) {
            return neverSent('the deadline passed before it could be sent');
          }
          await this.#untilNextTry(answer, turnedAway);
      }
    }
  }

  async #requestOnce(number: number): Promise<RequestAnswer> {
    // Another run of the same workflow has another name.
    const run = `${workflowInfo().runId}/${number}`;
    const request = { ref: this.#ref, run };
    try {
      return await this.#activities.requestAnalysis(request);
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      return this.#activities.recoverAnalysis(request);
    }
  }

  async #untilNextTry(
    { why, notBefore }: Extract<RequestAnswer, { kind: 'unsent' }>,
    turnedAway: number,
  ): Promise<void> {
    const pauseMs = backoffMs(turnedAway + 1, Math.random(), { maxMs: longestPauseMs });
    const until = Math.min(Math.max(notBefore, Date.now() + pauseMs), this.#input.deadlineAt);
    this.#setWaiting({ reason: why, until });
    this.#resumed = false;
    const wakes = (): boolean => this.#cancelling || this.#resumed;
    await condition(wakes, Math.max(1, until - Date.now()));
  }

  async #await({ operationId, acceptedAt }: Accepted): Promise<WaitAnswer | 'cancelled'> {
    const { deadlineAt } = this.#input;
    try {
      return await this.#wait.run(() =>
        this.#activities.awaitAnalysis({ operationId, acceptedAt, deadlineAt }),
      );
    } catch (error) {
      if (isCancellation(error)) return 'cancelled';
      // The backstop: a worker that never came back.
      if (error instanceof ActivityFailure) return { kind: 'expired', statusWord: null };
      throw error;
    }
  }

  async #fetch({ operationId }: Accepted, statusWord: string | null): Promise<Ending> {
    try {
      const result = await this.#activities.fileResults({ ref: this.#ref, operationId });
      return { status: 'completed', statusWord, result };
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      const message = 'the complete result could not be had';
      return { status: 'failed', statusWord, error: { code: 'result_unavailable', message } };
    }
  }

  #cancel(): void {
    this.#cancelling = true;
    this.#wait.cancel();
  }

  #setWaiting(waiting: AnalysisProgress['waiting']): void {
    this.#waiting = waiting;
    tellAttention(waiting?.reason === 'credentials');
  }

  #progress(): AnalysisProgress {
    return {
      kind: 'credit-analysis',
      stage: this.#stage,
      operationId: this.#operationId,
      waiting: this.#waiting,
      cancelling: this.#cancelling,
      startedAt: this.#startedAt,
    };
  }
}

function neverSent(message: string): Ending {
  return { status: 'cancelled', error: { code: 'never_sent', message } };
}

const left = {
  code: 'left_at_the_service',
  message: 'cancelled while the service worked on it: `credit resolve --action watch` takes it up',
};
