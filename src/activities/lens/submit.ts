import type { JobError, JobRef } from '../../domain/core/job-record';
import { Readable } from 'node:stream';
import { isPermanent } from '../../apis/http/classify';
import { withEither } from '../../apis/http/signals';
import { RefusedAddressError } from '../../protection/address-guard';
import type { LensAnswer } from '../../apis/investigation/lens';
import { isSameId } from '../../apis/investigation/wire/wire-fields';
import { findLarge, readLarge } from '../../store/core/large-objects';
import { LensRepository, lensUploads } from '../../store/lens/lens';
import { lensSubject } from '../../domain/core/service/attempts';
import {
  addressRefusedCode,
  anotherAnalysisCode,
  lensKey,
  lensRequestEntry,
  noInstructionsCode,
  uploadExpiredCode,
  uploadTimeoutMs,
  type CreatedLens,
  type LensInput,
  type SubmittedLens,
} from '../../domain/lens/analyze';
import type { LensUpload, LensAnalysis } from '../../apis/investigation/wire/lens.wire';
import type { PollRequest, Polled } from '../../domain/core/service/poll-request';
import { storeIncomplete } from '../core/failures';
import { newClaim, ownerOf, sendKeyed, type KeyedAnswer, unsentReading } from '../core/attempt';
import { recordOf } from '../core/job-records';
import type { LensDependencies } from '../dependencies';
import { createPolling, unsettled, type Reading } from '../core/poll-until-settled';

export type SubmitLensInput = PollRequest & {
  ref: JobRef;
  /** Number of the analysis within this job, from 1: each has its own key. */
  attempt: number;
};
/** A new analysis may not be readable yet. */
export const readPatienceMs = 120_000;
/** Refused uploads, refused reads and reads without upload instructions, before that is final. */
const mostTries = 5;

/** Each analysis is created with one key per attempt, so that it is created once. */
export function createLensSubmitActivities(deps: LensDependencies) {
  const { store, audit, lens, now, stopping } = deps;
  const { attempts } = store;
  const file = new LensRepository(store);
  const pollUntilSettled = createPolling(deps);

  /** Creates the analysis, or finds the created one, and uploads the bytes. All state is stored. */
  async function submitLens(input: SubmitLensInput): Promise<Polled<SubmittedLens>> {
    const { attempt, deadlineAt: sendBy, ref } = input;
    const record = await recordOf(file, ref);
    const { name, mode, file: copy } = record;
    const subject = lensSubject(name, attempt);
    const by = { jobId: ref.jobId, number: attempt };
    /** Notes about uploads. */
    const uploads = lensUploads(name, attempt);
    const wasTaken = async () => (await file.noted(uploads, ['taken'])) > 0;
    let isProved = false;

    async function step(signal: AbortSignal): Promise<Step> {
      const made = await file.made(name, attempt);
      const twice = madeTwice(made);
      if (twice !== null) return twice;
      // In a step whose heartbeats continue: a store may be slow. Only until the upload is accepted.
      if (!isProved && !(await wasTaken())) await proveCopy(copy, signal);
      isProved = true;
      if (made[0] === undefined) return create(signal);
      const analysis = await read(made[0], signal);
      return analysis === null ? unsettled('handing in') : forward(analysis, signal);
    }

    async function create(signal: AbortSignal): Promise<Step> {
      const sent = await send(signal);
      if (sent.kind === 'answered')
        return (await anotherOf(sent)) ?? forward(sent.answer.analysis, signal);
      if (sent.kind === 'stopped') return unsentReading(sent.why, 'handing in');
      const { error, taken } = sent;
      // Nothing can have been created before it.
      if (taken.isNew && error.status < 500) throw error;
      const { code, message } = error;
      return settled({ kind: 'unknown', code, message });
    }

    /** Can be cancelled while it waits for its permit; completed once it was sent. */
    function send(signal: AbortSignal): Promise<KeyedAnswer<LensAnswer>> {
      const { bytes: sizeBytes, sha256 } = copy;
      const request = { sizeBytes, sha256, mode, key: lensKey(name, attempt) };
      const about = { subject, job: ref.folder, by, attempts };
      const terms = { timeoutMs: lens.timeoutMs, now, sendBy };
      return withEither([signal, stopping], (until) =>
        sendKeyed({ ...about, ...terms }, (beforeSend) => lens.create(request, until, beforeSend)),
      );
    }

    /**
     * A service that ignores keys creates another analysis, stored beside the first; each repetition would create
     * one more.
     *
     * @returns null when it is the only analysis of its key
     */
    async function anotherOf({
      answer: { analysis },
      taken,
    }: Extract<KeyedAnswer<LensAnswer>, { kind: 'answered' }>): Promise<Step | null> {
      const { analysisId: externalId, billing } = analysis;
      const receipt = { kind: 'accepted', externalId, at: now(), reported: { billing } } as const;
      const isFirst = (await file.made(name, attempt)).every((one) =>
        isSameId(one.analysisId, externalId),
      );
      const result = isFirst ? 'accepted' : anotherAnalysisCode;
      const created = { analysisId: externalId, at: receipt.at };
      const entries = [lensRequestEntry(result, created, record, attempt)];
      const first = await attempts.putReceipt(subject, taken, receipt, entries);
      if (first.kind === 'accepted' && !isSameId(first.externalId, externalId)) {
        const claim = newClaim(now(), lens.timeoutMs, ownerOf(by));
        const next = await attempts.take(subject, claim, ref.folder);
        if (typeof next !== 'string') await attempts.putReceipt(subject, next, receipt, entries);
      }
      return madeTwice(await file.made(name, attempt));
    }

    /** @returns null when a new analysis is not readable yet */
    async function read(
      { analysisId, at }: CreatedLens,
      signal: AbortSignal,
    ): Promise<LensAnalysis | null> {
      try {
        return (await lens.read(analysisId, 'request', signal)).analysis;
      } catch (error) {
        if (!isPermanent(error)) throw error;
        if (now() - at < readPatienceMs) return null;
        if ((await file.note(uploads, ['read'], now())) >= mostTries) throw error;
        return null;
      }
    }

    async function forward(analysis: LensAnalysis, signal: AbortSignal): Promise<Step> {
      const { analysisId, pollAfterMs, state, upload } = analysis;
      if (await wasTaken()) return start(analysis, signal);
      if (state === 'expired') return uploadExpired(analysis);
      const isAwaiting = state === 'awaiting_upload' || (state === 'unknown' && upload !== null);
      if (!isAwaiting && state !== 'unknown') {
        // The response to the upload was lost: the status shows that it was accepted.
        if (state !== 'cancelled') await file.note(uploads, ['taken'], now());
        return submitted(analysisId, state);
      }
      if (!isAwaiting)
        return { ...unsettled('handing in', pollAfterMs), unknownWord: analysis.statusWord };
      if (upload === null) return askForInstructions(analysis, signal);
      const isLate = upload.expiresAt !== null && Date.parse(upload.expiresAt) <= now();
      // Clocks differ: the store decides whether it is too late.
      if (isLate && (await file.noted(uploads, ['upload'])) > 0) return uploadExpired(analysis);
      return handIn(analysis, upload, signal);
    }

    /** The documented response to a known key has them, where a read omits them. */
    async function askForInstructions(analysis: LensAnalysis, signal: AbortSignal): Promise<Step> {
      const sent = await send(signal);
      if (sent.kind === 'refused') throw sent.error;
      if (sent.kind === 'stopped') return unsentReading(sent.why, 'handing in');
      const twice = await anotherOf(sent);
      if (twice !== null) return twice;
      const { analysis: again } = sent.answer;
      if (again.upload !== null || again.state !== analysis.state) return forward(again, signal);
      if ((await file.note(uploads, ['instructions'], now())) >= mostTries)
        return uploadRefused(analysis, noInstructions);
      return unsettled('handing in', analysis.pollAfterMs);
    }

    async function handIn(
      analysis: LensAnalysis,
      upload: LensUpload,
      signal: AbortSignal,
    ): Promise<Step> {
      const { bytes: sizeBytes, key } = copy;
      // An upload is charged.
      if (now() >= sendBy) return unsettled('handing in');
      const stop = await store.jobs.stopWord(ref.folder);
      if (stop !== null) return unsentReading(stop, 'handing in');
      const options = { sizeBytes, timeoutMs: uploadTimeoutMs(sizeBytes) };
      // Another worker repeats it: the service does not accept aborted bytes.
      const open = () => Readable.from(readLarge(store, key));
      try {
        await withEither([signal, stopping], (until) => lens.upload(upload, open, options, until));
      } catch (error) {
        if (error instanceof RefusedAddressError)
          return uploadRefused(analysis, { code: addressRefusedCode, message: error.message });
        if (!isPermanent(error)) throw error;
        if ((await file.note(uploads, ['upload'], now())) < mostTries)
          return unsettled('handing in', 1_000);
        return uploadRefused(analysis, error);
      }
      await file.note(uploads, ['taken'], now());
      return start(analysis, signal);
    }

    /** Starts the analysis where the upload alone does not (`lens.submitPath`). */
    async function start({ analysisId, state }: LensAnalysis, signal: AbortSignal): Promise<Step> {
      if (state !== 'awaiting_upload') return submitted(analysisId, state);
      if (lens.submitPath === null) return submitted(analysisId, 'queued');
      return submitted(analysisId, (await lens.submit(analysisId, signal)).analysis.state);
    }

    function uploadRefused(
      { analysisId, billing }: LensAnalysis,
      { code, message }: JobError,
    ): Step {
      return settled({ kind: 'upload_refused', analysisId, billing, code, message });
    }

    async function uploadExpired({ analysisId, billing }: LensAnalysis): Promise<Step> {
      await file.giveUp(name, attempt, 'upload_expired', now());
      const expired = { analysisId, at: now() };
      await audit.append([lensRequestEntry(uploadExpiredCode, expired, record, attempt)]);
      return settled({ kind: 'upload_expired', analysisId, billing });
    }

    return pollUntilSettled<SubmittedLens>(step, { ...input, what: 'the file of an analysis' });
  }

  /**
   * Before anything is requested: an erased or corrupt copy cannot be uploaded.
   *
   * @throws ApplicationFailure
   */
  async function proveCopy({ bytes, key }: LensInput, signal: AbortSignal): Promise<void> {
    const copy = await findLarge(store, key);
    if (copy?.bytes !== bytes) throw storeIncomplete(key);
    try {
      for await (const _ of readLarge(store, key)) signal.throwIfAborted();
    } catch (error) {
      throw error instanceof RangeError ? storeIncomplete(key) : error;
    }
  }

  return { submitLens };
}

type Step = Reading<SubmittedLens>;

function settled(value: SubmittedLens): Step {
  return { kind: 'settled', value };
}

function submitted(analysisId: string, state: string): Step {
  return settled({ kind: 'submitted', analysisId, state });
}

const noInstructions = {
  code: noInstructionsCode,
  message: 'the service does not say where to upload the file',
};

/** Null: one at most. */
function madeTwice([created, ...others]: readonly CreatedLens[]): Step | null {
  const another = others.find((one) => !isSameId(one.analysisId, created?.analysisId ?? ''));
  if (another === undefined) return null;
  const ids = `${created?.analysisId ?? '-'} and ${another.analysisId}`;
  const message = `the service has made two analyses for one key, ${ids}: no more are requested`;
  return settled({ kind: 'unknown', code: anotherAnalysisCode, message });
}
