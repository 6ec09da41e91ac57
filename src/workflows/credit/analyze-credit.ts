import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  AnalysisOutcome,
  AnalysisRef,
  RequestAnswer,
  Unsent,
  WaitAnswer,
} from '../../domain/credit/work';
import { backoffMs } from '../../domain/core/poll-timing';
import { endOf } from '../../domain/attention';
import { creditActivities } from './activities';
import {
  analysisProgressQuery,
  cancelUpdate,
  resumeUpdate,
  type AnalysisProgress,
  type AnalyzeCreditInput,
} from '../messages';
import { tellAttention, tellEnd } from '../core/search-attributes';

/** An upload that is turned away is shown as waiting after this long. */
const unseenMs = 20_000;
/** Between an upload whose worker was lost and the next one: it may be the upload that kills it. */
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
  #upload = new CancellationScope();
  #stage: AnalysisProgress['stage'] = 'uploading';
  #waiting: AnalysisProgress['waiting'] = null;
  #operationId: string | null = null;
  #afterUnknown = false;
  #cancelling = false;
  #resumed = false;
  #lostUploads = 0;

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
      if (this.#waiting !== null) this.#upload.cancel();
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
      tellEnd(endOf('credit-analysis', outcome.status));
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
    let before: Unsent | null = null;
    for (let number = 0; ; number += 1) {
      if (this.#cancelling) return neverSent;
      const answer = await this.#requestOnce(number, before);
      switch (answer.kind) {
        case 'accepted':
          this.#setWaiting(null);
          return answer;
        case 'refused': {
          const { code, message } = answer;
          return { status: 'refused', error: { code, message } };
        }
        case 'spoilt':
          return { status: 'failed', error: { code: 'spoilt_input', message: answer.message } };
        case 'unknown': {
          this.#afterUnknown = answer.afterUnknown;
          const error = { code: 'unknown_outcome', message: answer.reason };
          return { status: 'unknown_outcome', error };
        }
        case 'unsent':
          // The clock of the worker may be ahead of the engine's: what it calls over is over.
          if (answer.isOver === true || Date.now() >= this.#input.deadlineAt) return tooLate;
          this.#setWaiting({ reason: answer.why });
          before = this.#resumed ? { ...answer, notBefore: 0 } : answer;
          this.#resumed = false;
      }
    }
  }

  /** The waits between tries are the activity's, and leave no history: a day of them is one event. */
  async #requestOnce(number: number, before: Unsent | null): Promise<RequestAnswer> {
    // Another run of the same workflow has another name.
    const request = { ref: this.#ref, run: `${workflowInfo().runId}/${number}` };
    const { deadlineAt } = this.#input;
    const until = before === null ? Math.min(Date.now() + unseenMs, deadlineAt) : deadlineAt;
    this.#upload = new CancellationScope();
    try {
      return await this.#upload.run(() =>
        this.#activities.requestAnalysis({ ...request, until, before }),
      );
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
    }
    const answer = await this.#activities.recoverAnalysis(request);
    if (answer.kind !== 'unsent') return answer;
    this.#lostUploads += 1;
    const pauseMs = backoffMs(this.#lostUploads, Math.random(), { maxMs: longestPauseMs });
    return { ...answer, notBefore: Date.now() + pauseMs };
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
      const { cause } = error;
      const told =
        cause instanceof ApplicationFailure && cause.type === 'ResultUnreadable'
          ? { code: 'unreadable_result', message: cause.message }
          : { code: 'result_unavailable', message: 'the complete result could not be had' };
      return { status: 'failed', statusWord, error: told };
    }
  }

  #cancel(): void {
    this.#cancelling = true;
    this.#upload.cancel();
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

const neverSent: Ending = {
  status: 'cancelled',
  error: { code: 'never_sent', message: 'cancelled before it was sent' },
};
const tooLate: Ending = {
  status: 'expired',
  error: { code: 'never_sent', message: 'the deadline passed before it could be sent' },
};

const left = {
  code: 'left_at_the_service',
  message: 'cancelled while the service worked on it: `credit resolve --action watch` takes it up',
};
