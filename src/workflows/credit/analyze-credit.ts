import { ActivityFailure, CancellationScope, workflowInfo } from '@temporalio/workflow';
import { backoffMs } from '../../domain/core/service/poll-timing';
import { unreadableAnswer } from '../../domain/core/service/service-failure';
import type { AnalysisOutcome, RequestAnswer, Unsent } from '../../domain/credit/job';
import { orderAnswer, type OrderAnswer } from '../../domain/order-answers';
import { runJob, unsettled, type Job } from '../core/run-job';
import type { AnalyzeCreditInput } from '../inputs';
import { creditActivities } from './activities';

type Accepted = Extract<RequestAnswer, { kind: 'accepted' }>;
type Ending = Pick<AnalysisOutcome, 'status'> & Partial<AnalysisOutcome>;

/** A throttled upload is shown as waiting after this long. */
const unseenMs = 20_000;
/** Between an upload whose worker was lost and the next one: the upload itself may crash workers. */
const longestPauseMs = 15 * 60_000;
/** Time to fetch both results of a settled operation, regardless of the deadline. */
const fetchingMs = 6 * 3_600_000;

/** Analyses one file: uploads it at most once, polls, stores both results. */
export async function analyzeCredit(input: AnalyzeCreditInput): Promise<AnalysisOutcome> {
  const { ref, deadlineAt, namesEngine = false, queueSuffix } = input;
  const { polling, recording } = creditActivities(queueSuffix);
  const upload = new Upload(input);

  async function analyze(job: Job): Promise<Ending> {
    if (namesEngine) {
      const refused = await chooseEngine(job);
      if (refused !== null) return refused;
    }
    job.progress.stage = 'uploading';
    const answer = await CancellationScope.nonCancellable(() => upload.toAnAnswer(job));
    if ('status' in answer) return answer;
    const { operationId, acceptedAt } = answer;
    job.progress.externalId = operationId;
    job.progress.stage = 'waiting';
    const end = await job.poll(
      (request) => polling(request).awaitAnalysis({ ...request, operationId }),
      { deadlineAt, since: acceptedAt, seen: 'waiting' },
    );
    if (end.kind === 'refused') return { ...unsettled(end, 'the operation'), status: 'failed' };
    const statusWord = end.value?.statusWord ?? null;
    if (end.kind === 'expired') return { ...unsettled(end, 'the operation'), statusWord };
    if (end.value.kind === 'failed') {
      const { code, message } = end.value;
      return { status: 'failed', statusWord, error: { code, message } };
    }
    return { status: 'completed', statusWord };
  }

  /** Null: the engine is chosen. Nothing has been sent before. */
  async function chooseEngine(job: Job): Promise<Ending | null> {
    const end = await job.poll(
      (request) => polling(request).chooseNamedEngine({ ...request, ref }),
      { deadlineAt, seen: 'choosing the engine' },
    );
    if (end.kind === 'expired') return tooLate;
    const answer = end.kind === 'settled' ? end.value : end;
    if (answer.kind === 'chosen') return null;
    const { code, message } = answer;
    return { status: 'refused', error: { code, message } };
  }

  /** Both results of an operation that is completed. */
  async function resultsOf(job: Job, operationId: string): Promise<Partial<Ending>> {
    job.progress.stage = 'fetching';
    const end = await job.poll(
      (request) => polling(request).fileResults({ ...request, ref, operationId }),
      { deadlineAt: Date.now() + fetchingMs, seen: 'fetching' },
    );
    if (end.kind === 'settled') return { result: end.value };
    const isUnreadable = end.kind === 'refused' && end.code === unreadableAnswer;
    const error = isUnreadable
      ? { code: 'unreadable_result', message: end.message }
      : { code: 'result_unavailable', message: 'the complete result could not be had' };
    return { status: 'failed', error };
  }

  return runJob<Ending, AnalysisOutcome>({
    kind: 'credit-analysis',
    folder: input.ref.folder,
    stage: namesEngine ? 'choosing the engine' : 'uploading',
    async steps(job) {
      const ending = await job.cancellable(
        () => analyze(job),
        (): Ending =>
          job.progress.externalId === null ? neverSent : { status: 'cancelled', error: left },
      );
      const operationId = job.progress.externalId;
      const isThere = ending.status === 'completed' && operationId !== null;
      return { ...ending, operationId, ...(isThere && (await resultsOf(job, operationId))) };
    },
    finalize: (ending) =>
      recording.finalizeAnalysis({
        ref,
        outcome: {
          operationId: null,
          statusWord: null,
          error: null,
          result: null,
          possibleDoubleCharge: upload.isAfterUnknown,
          ...ending,
        },
      }),
    onResume: () => upload.tryAtOnce(),
  });
}

/** The upload of one file, retried while it is certain that nothing was sent. */
class Upload {
  readonly #input: AnalyzeCreditInput;
  #attempt = new CancellationScope();
  #isWaiting = false;
  #isResumed = false;
  #lost = 0;
  /** Another request for the same file may be charged too. */
  isAfterUnknown = false;

  constructor(input: AnalyzeCreditInput) {
    this.#input = input;
  }

  tryAtOnce(): OrderAnswer {
    this.#isResumed = true;
    if (!this.#isWaiting) return orderAnswer('not_waiting');
    this.#attempt.cancel();
    return orderAnswer('trying');
  }

  /** Retries until it is accepted, refused, unknown, or out of time. */
  async toAnAnswer(job: Job): Promise<Accepted | Ending> {
    job.cancelRequested.catch(() => this.#attempt.cancel());
    let before: Unsent | null = null;
    for (let number = 0; ; number += 1) {
      if (job.order !== null) return neverSent;
      const answer = await this.#tryOnce(number, before);
      switch (answer.kind) {
        case 'accepted':
          this.isAfterUnknown = answer.afterUnknown;
          this.#isWaiting = false;
          job.waitFor(null);
          return answer;
        case 'refused': {
          const { code, message } = answer;
          return { status: 'refused', error: { code, message } };
        }
        case 'corrupt':
          return { status: 'failed', error: { code: 'spoilt_input', message: answer.message } };
        case 'unknown': {
          this.isAfterUnknown = answer.afterUnknown;
          const error = { code: 'unknown_outcome', message: answer.reason };
          return { status: 'unknown_outcome', error };
        }
        case 'stopped':
          return neverSent;
        case 'unsent':
          // The worker's clock may be ahead of the server's: a deadline that it calls over is over.
          if (answer.isOver === true || Date.now() >= this.#input.deadlineAt) return tooLate;
          this.#isWaiting = true;
          job.waitFor(answer.why);
          before = this.#isResumed ? { ...answer, notBefore: 0 } : answer;
          this.#isResumed = false;
      }
    }
  }

  /** The activity waits between tries without history: a day of them is one event. */
  async #tryOnce(number: number, before: Unsent | null): Promise<RequestAnswer> {
    const { ref, deadlineAt, queueSuffix } = this.#input;
    const { requestAnalysis, recoverAnalysis } = creditActivities(queueSuffix);
    // Another execution of the same workflow has another name.
    const request = { ref, chunk: `${workflowInfo().runId}/${number}` };
    const sendBy = deadlineAt;
    const until = before === null ? Math.min(Date.now() + unseenMs, deadlineAt) : deadlineAt;
    this.#attempt = new CancellationScope();
    try {
      return await this.#attempt.run(() => requestAnalysis({ ...request, sendBy, until, before }));
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
    }
    const answer = await recoverAnalysis(request);
    if (answer.kind !== 'unsent') return answer;
    this.#lost += 1;
    const pauseMs = backoffMs(this.#lost, Math.random(), { maxMs: longestPauseMs });
    return { ...answer, notBefore: Date.now() + pauseMs };
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
  message:
    'cancelled while the service worked on it: `diligence resolve ID --action watch` takes it up',
};
