import { jobFolder } from '../../domain/job';
import type { JobRef } from '../../domain/core/job-record';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { UnsendableUploadError, type Upload, type UploadFile } from '../../apis/credit/operations';
import { withEither } from '../../apis/http/signals';
import { isHttpError } from '../../apis/http/errors';
import { AnalysisRepository } from '../../store/credit/analyses';
import { findLarge, readLarge } from '../../store/core/large-objects';
import { analysisRequestEntries } from '../../domain/credit/job';
import {
  analysisSubject,
  attemptOf,
  nextNumber,
  subjectState,
  type ClaimOwner,
} from '../../domain/core/service/attempts';
import type { AnalysisRecord, StoredInput, RequestAnswer, Unsent } from '../../domain/credit/job';
import { backoffMs } from '../../domain/core/service/poll-timing';
import { BrokenSealError } from '../../protection/key-ring';
import type { CreditDependencies } from '../dependencies';
import { storeIncomplete, failureTypes } from '../core/failures';
import { chunkOwner, nameOf, recordOf } from '../core/job-records';
import { Heartbeats } from '../core/heartbeats';
import { isStoreAway, withStorePatience } from '../core/store-patience';
import { sendKeyless } from '../core/attempt';
import { pauseOnTheClock } from '../core/pause';
import { LostUploads } from './lost-uploads';

export interface AnalysisChunk {
  ref: JobRef;
  /** Unique among all chunks of the workflow. */
  chunk: string;
}

export interface RequestInput extends AnalysisChunk {
  /** Epoch milliseconds: nothing is sent after it. */
  sendBy: number;
  /** Epoch milliseconds until which a throttled upload is retried here. */
  until: number;
  /** Why it was throttled before, which is shown already; null at first. */
  before: Pick<Unsent, 'why' | 'notBefore'> | null;
}

/** Between two tries of a throttled upload. They leave no history (decision record 021). */
const longestPauseMs = 15 * 60_000;

/** The upload of a file: a POST without a key, sent at most once per attempt (decision record 001). */
export function createCreditRequestActivities(deps: CreditDependencies) {
  const { store, credit, now, random, pause = pauseOnTheClock } = deps;
  const { operations, service } = credit;
  const { attempts: attemptRepository } = store;
  const analyses = new AnalysisRepository(store);
  const lost = new LostUploads({ now, random });

  /**
   * One attempt: when it is lost, `recoverAnalysis` recovers it. A throttled upload is retried here until a person
   * or the deadline ends it, or the reason changes.
   */
  async function requestAnalysis(input: RequestInput): Promise<RequestAnswer> {
    return withEither([Context.current().cancellationSignal, deps.stopping], (givenUp) =>
      requestUntil(input, givenUp),
    );
  }

  async function requestUntil(input: RequestInput, givenUp: AbortSignal): Promise<RequestAnswer> {
    const { before, sendBy, until } = input;
    const heartbeats = new Heartbeats(now, 1_000);
    try {
      let last = unsent(before?.why ?? 'fault', before?.notBefore ?? 0);
      for (let throttled = 1; ; throttled += 1) {
        const waitMs = Math.min(last.notBefore, until) - now();
        if (waitMs > 0) await pause(waitMs, givenUp);
        if (givenUp.aborted || heartbeats.isLate()) return last;
        // A timer may fire early: a retry due after the end must not be sent just before it.
        const isOver = last.notBefore >= sendBy || now() >= sendBy;
        if (isOver) return { ...last, isOver };
        const answer = await tryOnce(input, { heartbeats, givenUp, sendBy });
        if (answer.kind !== 'unsent' || answer === takenOver) return answer;
        const pauseMs = backoffMs(throttled, random(), { maxMs: longestPauseMs });
        last = unsent(answer.why, Math.max(answer.notBefore, now() + pauseMs));
        if (isAboutToken(last) !== isAboutToken(before)) return last;
        if (before === null && last.notBefore > until) return last;
      }
    } finally {
      heartbeats.stop();
    }
  }

  async function tryOnce({ ref, chunk }: AnalysisChunk, bounds: Bounds): Promise<RequestAnswer> {
    try {
      const record = await recordOf(analyses, ref);
      // A repeated start of an ended job must not send.
      if ((await analyses.outcome(ref.folder)) !== null) return hasEnded;
      const owner = chunkOwner(chunk);
      const decided = await decide(record, owner);
      if ('kind' in decided) return decided;
      return await send(record, owner, decided, bounds);
    } catch (error) {
      if (error instanceof UnsendableUploadError) {
        return { kind: 'refused', code: error.code, message: error.message, wasSent: false };
      }
      // Before the claim nothing can have been sent; `send` handles everything after it.
      if (isCorrupt(error))
        return { kind: 'corrupt', message: `${error.message}; nothing was sent` };
      deps.warn('an upload could not be prepared', { reason: nameOf(error) });
      const ours = isStoreAway(error) ? 'store' : 'fault';
      return unsent(isHttpError(error) ? 'service' : ours, now() + 5_000);
    }
  }

  interface Bounds {
    heartbeats: Heartbeats;
    givenUp: AbortSignal;
    sendBy: number;
  }

  interface Ready {
    n: number;
    afterUnknown: boolean;
  }

  async function decide(record: AnalysisRecord, owner: ClaimOwner): Promise<RequestAnswer | Ready> {
    const history = await attemptRepository.of(subjectOf(record));
    // The recovery of this chunk has closed it: another activity has the job.
    if (attemptOf(history, owner)?.claim.kind === 'closed') return takenOver;
    const state = subjectState(history, now());
    switch (state.kind) {
      case 'free':
        return { n: nextNumber(history), afterUnknown: state.afterUnknown };
      case 'in_flight':
        return unsent('another job', state.answerBy + 1);
      case 'unknown':
        return { kind: 'unknown', reason: state.reason, afterUnknown: state.afterUnknown };
      case 'accepted': {
        const { externalId: operationId, at: acceptedAt, afterUnknown } = state;
        return { kind: 'accepted', operationId, acceptedAt, afterUnknown };
      }
    }
  }

  /** In this order: form, permit of the limiter, claim, dispatch. */
  async function send(
    record: AnalysisRecord,
    owner: ClaimOwner,
    { n, afterUnknown }: Ready,
    { heartbeats, givenUp, sendBy }: Bounds,
  ): Promise<RequestAnswer> {
    const prepared = await operations.prepareUpload(await uploadOf(record));
    const heldUntil = lost.heldUntil(operations.timeoutMs);
    if (heldUntil !== null) return unsent('service', heldUntil);
    const granted = await service.limiter.acquire('request', {
      until: Math.min(now() + 30_000, sendBy),
      signal: givenUp,
    });
    if (!granted) return unsent('service', now() + service.limiter.expectedWaitMs());
    const subject = subjectOf(record);
    const patience = { now, mayWait: () => !heartbeats.isLate() && !deps.stopping.aborted };
    const { timeoutMs } = operations;
    const job = jobFolder(record.jobId);
    const sent = await sendKeyless(
      { attempts: attemptRepository, subject, job, n, owner, timeoutMs, afterUnknown, patience },
      (beforeSend) => operations.startOperation(prepared, beforeSend),
      { sendBy, mayClaim: () => !heartbeats.isLate() && !givenUp.aborted },
    );
    if (sent.kind === 'stopped') {
      if (sent.why === 'cancelled') return { kind: 'stopped' };
      return sent.why === 'late' ? unsent('fault', now()) : unsent('another job', now() + 250);
    }
    const { again, claim, detail = null, receipt, unread = null } = sent;
    const { claimedAt } = claim;
    lost.ended(receipt.kind);
    const entries = analysisRequestEntries(record, { n, claim, receipt });
    const put = () => attemptRepository.putReceipt(subject, { n, claim }, receipt, entries);
    await tried('a receipt', withStorePatience(put, patience));
    // A person may find the id in it.
    if (unread !== null) await tried('an unreadable answer', analyses.putUnreadable(job, unread));
    switch (receipt.kind) {
      case 'accepted': {
        const { externalId: operationId } = receipt;
        return { kind: 'accepted', operationId, acceptedAt: claimedAt, afterUnknown };
      }
      case 'refused':
        // Field names may have changed.
        if ([400, 422].includes(receipt.status)) credit.specification.distrust();
        return refused({ ...receipt, detail });
      case 'not_sent':
        return unsent(again.reason === 'credentials' ? 'credentials' : 'service', again.notBefore);
      case 'unknown':
        return { kind: 'unknown', reason: receipt.reason, afterUnknown };
    }
  }

  /** The workflow gets the value in any case. */
  async function tried(what: string, write: Promise<unknown>): Promise<void> {
    await write.catch((error: unknown) =>
      deps.warn(`${what} could not be stored`, { reason: nameOf(error) }),
    );
  }

  async function uploadOf({ cnab, xmls, engineId }: AnalysisRecord): Promise<Upload> {
    return {
      cnab: await fileOf(cnab),
      xmls: xmls === null ? null : await fileOf(xmls),
      engineId,
    };
  }

  /** Reads the file once before the claim: finds a corrupt copy before anything is sent. */
  async function fileOf({ name, key, sha256 }: StoredInput): Promise<UploadFile> {
    const copy = await findLarge(store, key);
    if (copy === null || copy.sha256 !== sha256) throw storeIncomplete(key);
    for await (const _ of readLarge(store, key));
    return { name, bytes: copy.bytes, read: () => readLarge(store, key) };
  }

  return { requestAnalysis };
}

/** @throws ApplicationFailure before its engine is chosen */
export function subjectOf({ fence }: AnalysisRecord): string {
  if (fence === null) throw storeIncomplete('the chosen rule engine');
  return analysisSubject(fence);
}

/** The recovery of the chunk has closed it: another activity has the job. */
const takenOver: Unsent = { kind: 'unsent', why: 'another job', notBefore: 0 };

const hasEnded: RequestAnswer = {
  kind: 'refused',
  code: 'ended',
  message: 'it has ended already',
  wasSent: false,
};

export function unsent(why: Unsent['why'], notBefore: number): Unsent {
  return { kind: 'unsent', why, notBefore };
}

/** A person must fix it: the workflow shows it at once. */
function isAboutToken(answer: Pick<Unsent, 'why'> | null): boolean {
  return answer?.why === 'credentials';
}

export function refused(answer: {
  status: number;
  code: string | null;
  detail?: string | null;
}): RequestAnswer {
  const { status, code, detail = null } = answer;
  const why = detail === null ? '' : `: ${detail}`;
  const message = `the service refused the upload: it answered ${status}${why}`;
  return { kind: 'refused', code, message, wasSent: true };
}

/** The stored input is missing or corrupt: retrying cannot help. */
function isCorrupt(error: unknown): error is Error {
  return (
    error instanceof RangeError ||
    error instanceof BrokenSealError ||
    (error instanceof ApplicationFailure && error.type === failureTypes.storeIncomplete)
  );
}
