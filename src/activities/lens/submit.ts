import type { JobRef } from '../../domain/core/job-record';
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
  uploadExpiredCode,
  uploadTimeoutMs,
  type CreatedLens,
  type LensInput,
  type LensRecord,
  type SubmittedLens,
} from '../../domain/lens/analyze';
import type { LensUpload, LensAnalysis } from '../../apis/investigation/wire/lens.wire';
import type { PollRequest, Polled } from '../../domain/core/service/poll-request';
import { storeIncomplete } from '../core/failures';
import {
  newClaim,
  ownerOf,
  sendKeyed,
  type KeyedAnswer,
  type Sender,
  unsentReading,
} from '../core/attempt';
import { recordOf } from '../core/job-records';
import { madeTwice, noInstructions, submitted } from './submitted';
import type { LensDependencies } from '../dependencies';
import { createPolling, unsettled, type Reading } from '../core/poll-until-settled';

export type SubmitLensInput = PollRequest & {
  ref: JobRef;
  /** Number of the analysis within this job, from 1: each has its own key. */
  attempt: number;
};
/** A new analysis may not be readable yet. */
export const readPatienceMs = 120_000;
/** A refused upload is repeated to a fresh address this many times. */
const mostUploadRefusals = 5;
/** This many refused reads are final. */
const mostRefusedReads = 5;
/** Missing upload instructions are read this many times. */
const mostFailedReads = 5;
/** Each analysis is created with one key per attempt, so that it is created once. */
export function createLensSubmitActivities(deps: LensDependencies) {
  const { store, audit, lens, now, stopping } = deps;
  const { attempts } = store;
  const file = new LensRepository(store);
  const pollUntilSettled = createPolling(deps);

  /** Creates the analysis, or finds the created one, and uploads the bytes. */
  async function submitLens(input: SubmitLensInput): Promise<Polled<SubmittedLens>> {
    const record = await recordOf(file, input.ref);
    const handing = new HandingIn(record, input);
    return pollUntilSettled<SubmittedLens>((signal) => handing.step(signal), {
      ...input,
      what: 'the file of an analysis',
    });
  }

  /** Uploads one file. All its state is stored: each step may run in another process. */
  class HandingIn {
    readonly #record: LensRecord;
    readonly #attempt: number;
    readonly #subject: string;
    /** Notes about uploads. */
    readonly #uploads: string;
    readonly #ref: JobRef;
    readonly #sendBy: number;
    #isProved = false;

    constructor(record: LensRecord, { attempt, deadlineAt, ref }: SubmitLensInput) {
      this.#record = record;
      this.#attempt = attempt;
      this.#subject = lensSubject(record.name, attempt);
      this.#uploads = lensUploads(record.name, attempt);
      this.#ref = ref;
      this.#sendBy = deadlineAt;
    }

    async step(signal: AbortSignal): Promise<Reading<SubmittedLens>> {
      const made = await file.made(this.#record.name, this.#attempt);
      const twice = madeTwice(made);
      if (twice !== null) return twice;
      await this.#prove(signal);
      if (made[0] === undefined) return this.#create(signal);
      const analysis = await this.#read(made[0], signal);
      return analysis === null ? unsettled('handing in') : this.#forward(analysis, signal);
    }

    // In a step whose heartbeats continue: a store may be slow. Only until the upload is accepted.
    async #prove(signal: AbortSignal): Promise<void> {
      const { file: input } = this.#record;
      if (this.#isProved || (await this.#wasTaken())) return;
      await proveCopy(input, signal);
      this.#isProved = true;
    }

    async #create(signal: AbortSignal): Promise<Reading<SubmittedLens>> {
      const sent = await this.#send(signal);
      if (sent.kind === 'answered') {
        return (await this.#made(sent)) ?? this.#forward(sent.answer.analysis, signal);
      }
      if (sent.kind === 'stopped') return unsentReading(sent.why, 'handing in');
      const { error, taken } = sent;
      // Nothing can have been created before it.
      if (taken.isNew && error.status < 500) throw error;
      const { code, message } = error;
      return { kind: 'settled', value: { kind: 'unknown', code, message } };
    }

    /** Can be cancelled while it waits for its permit; completed once it was sent. */
    #send(signal: AbortSignal): Promise<KeyedAnswer<LensAnswer>> {
      const { name, mode, file: input } = this.#record;
      const { bytes: sizeBytes, sha256 } = input;
      const request = { sizeBytes, sha256, mode, key: lensKey(name, this.#attempt) };
      const about = { subject: this.#subject, job: this.#ref.folder, by: this.#by(), attempts };
      const terms = { timeoutMs: lens.timeoutMs, now, sendBy: this.#sendBy };
      return withEither([signal, stopping], (until) =>
        sendKeyed({ ...about, ...terms }, (beforeSend) => lens.create(request, until, beforeSend)),
      );
    }

    async #wasTaken(): Promise<boolean> {
      return (await file.noted(this.#uploads, ['taken'])) > 0;
    }

    #by(): Sender {
      return { jobId: this.#ref.jobId, number: this.#attempt };
    }

    /**
     * A service that ignores keys creates another analysis, stored beside the first; each repetition would create
     * one more.
     *
     * @returns null when it is the only analysis of its key
     */
    async #made({
      answer: { analysis },
      taken,
    }: Extract<KeyedAnswer<LensAnswer>, { kind: 'answered' }>) {
      const { analysisId: externalId, billing } = analysis;
      const { name } = this.#record;
      const receipt = { kind: 'accepted', externalId, at: now(), reported: { billing } } as const;
      const isFirst = (await file.made(name, this.#attempt)).every((one) =>
        isSameId(one.analysisId, externalId),
      );
      const result = isFirst ? 'accepted' : anotherAnalysisCode;
      const created = { analysisId: externalId, at: receipt.at };
      const entries = [lensRequestEntry(result, created, this.#record, this.#attempt)];
      const first = await attempts.putReceipt(this.#subject, taken, receipt, entries);
      if (first.kind === 'accepted' && !isSameId(first.externalId, externalId)) {
        const claim = newClaim(now(), lens.timeoutMs, ownerOf(this.#by()));
        const next = await attempts.take(this.#subject, claim, this.#ref.folder);
        if (typeof next !== 'string') {
          await attempts.putReceipt(this.#subject, next, receipt, entries);
        }
      }
      return madeTwice(await file.made(name, this.#attempt));
    }

    /** @returns null when a new analysis is not readable yet */
    async #read(
      { analysisId, at }: CreatedLens,
      signal: AbortSignal,
    ): Promise<LensAnalysis | null> {
      try {
        return (await lens.read(analysisId, 'request', signal)).analysis;
      } catch (error) {
        if (!isPermanent(error)) throw error;
        if (now() - at < readPatienceMs) return null;
        const count = await file.note(this.#uploads, ['read'], now());
        if (count >= mostRefusedReads) throw error;
        return null;
      }
    }

    async #forward(analysis: LensAnalysis, signal: AbortSignal): Promise<Reading<SubmittedLens>> {
      const { analysisId, state, upload } = analysis;
      if (await this.#wasTaken()) return this.#submit(analysis, signal);
      if (state === 'expired') return this.#uploadExpired(analysis);
      const isAwaiting = state === 'awaiting_upload' || (state === 'unknown' && upload !== null);
      if (!isAwaiting && state !== 'unknown') {
        // The response to the upload was lost: the status shows that it was accepted.
        if (state !== 'cancelled') await file.note(this.#uploads, ['taken'], now());
        return submitted(analysisId, state);
      }
      if (!isAwaiting)
        return {
          ...unsettled('handing in', analysis.pollAfterMs),
          unknownWord: analysis.statusWord,
        };
      if (upload === null) return this.#askForInstructions(analysis, signal);
      const isLate = upload.expiresAt !== null && Date.parse(upload.expiresAt) <= now();
      // Clocks differ: the store decides whether it is too late.
      if (isLate && (await file.noted(this.#uploads, ['upload'])) > 0) {
        return this.#uploadExpired(analysis);
      }
      return this.#upload(analysis, upload, signal);
    }

    /** The documented response to a known key has them, where a read omits them. */
    async #askForInstructions(
      analysis: LensAnalysis,
      signal: AbortSignal,
    ): Promise<Reading<SubmittedLens>> {
      const sent = await this.#send(signal);
      if (sent.kind === 'refused') throw sent.error;
      if (sent.kind === 'stopped') return unsentReading(sent.why, 'handing in');
      const twice = await this.#made(sent);
      if (twice !== null) return twice;
      const { analysis: again } = sent.answer;
      if (again.upload !== null || again.state !== analysis.state) {
        return this.#forward(again, signal);
      }
      const count = await file.note(this.#uploads, ['instructions'], now());
      if (count >= mostFailedReads) return this.#uploadRefused(analysis, noInstructions);
      return unsettled('handing in', analysis.pollAfterMs);
    }

    async #upload(
      analysis: LensAnalysis,
      upload: LensUpload,
      signal: AbortSignal,
    ): Promise<Reading<SubmittedLens>> {
      const { bytes: sizeBytes, key } = this.#record.file;
      // An upload is charged.
      if (now() >= this.#sendBy) return unsettled('handing in');
      const stop = await store.jobs.stopWord(this.#ref.folder);
      if (stop !== null) return unsentReading(stop, 'handing in');
      const options = { sizeBytes, timeoutMs: uploadTimeoutMs(sizeBytes) };
      // Another worker repeats it: the service does not accept aborted bytes.
      const open = () => Readable.from(readLarge(store, key));
      try {
        await withEither([signal, stopping], (until) => lens.upload(upload, open, options, until));
      } catch (error) {
        if (error instanceof RefusedAddressError) {
          return this.#uploadRefused(analysis, {
            code: addressRefusedCode,
            message: error.message,
          });
        }
        if (!isPermanent(error)) throw error;
        const count = await file.note(this.#uploads, ['upload'], now());
        if (count < mostUploadRefusals) return unsettled('handing in', 1_000);
        const { code, message } = error;
        return this.#uploadRefused(analysis, { code, message });
      }
      await file.note(this.#uploads, ['taken'], now());
      return this.#submit(analysis, signal);
    }

    /** Starts the analysis where the upload alone does not (`lens.submitPath`). */
    async #submit(analysis: LensAnalysis, signal: AbortSignal): Promise<Reading<SubmittedLens>> {
      const { analysisId, state } = analysis;
      if (state !== 'awaiting_upload') return submitted(analysisId, state);
      if (lens.submitPath === null) return submitted(analysisId, 'queued');
      return submitted(analysisId, (await lens.submit(analysisId, signal)).analysis.state);
    }

    #uploadRefused(
      { analysisId, billing }: LensAnalysis,
      why: { code: string | null; message: string },
    ): Reading<SubmittedLens> {
      return { kind: 'settled', value: { kind: 'upload_refused', analysisId, billing, ...why } };
    }

    async #uploadExpired({ analysisId, billing }: LensAnalysis): Promise<Reading<SubmittedLens>> {
      await file.giveUp(this.#record.name, this.#attempt, 'upload_expired', now());
      const expired = { analysisId, at: now() };
      await audit.append([
        lensRequestEntry(uploadExpiredCode, expired, this.#record, this.#attempt),
      ]);
      return { kind: 'settled', value: { kind: 'upload_expired', analysisId, billing } };
    }
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
