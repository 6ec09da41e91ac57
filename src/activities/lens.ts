import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ConnectionError, ContractError, StatusError, TimeoutError } from '../apis/http/errors';
import type { LensAnswer, LensApi } from '../apis/investigation/lens';
import type { Archive } from '../archive/archive';
import type { AuditTrail } from '../archive/audit-trail';
import { DocumentIndexWriter, type NameOf } from '../archive/document-index';
import { findLarge, readLarge } from '../archive/large-objects';
import { LensFile, lensIndexes } from '../archive/lens';
import { documentsInText } from '../domain/held-documents';
import {
  isLensSettled,
  lensKey,
  uploadTimeoutMs,
  type CreatedLens,
  type LensIntent,
  type LensOutcome,
  type LensRecord,
  type LensRef,
  type LensSeen,
  type LensStatus,
} from '../domain/lens/analyze';
import { lensOutcomeEntry, lensReplacedEntry, lensRequestEntry } from '../domain/lens/audit';
import type { LensAnalysis, LensUpload } from '../domain/lens/lens-analysis';
import type { WaitOrder, Waited } from '../domain/settled-wait';
import { archiveIncomplete } from './failures';
import { SettledWait, isForGood, type Reading, type WaitDependencies } from './settled-wait';

export interface LensDependencies extends WaitDependencies {
  lens: LensApi;
  archive: Archive;
  audit: AuditTrail;
  /** `IdKey.nameOf('document', ...)`: answers are put in the index by which a purge finds them. */
  nameOf: NameOf;
  metrics: LensMetrics;
}

/** As `CertificateMetrics`. */
export interface LensMetrics {
  /** An outcome was put on file. */
  lensEnded(status: LensStatus): void;
  /** A file was handed in, or was not. */
  uploadEnded(result: 'taken' | 'refused' | 'expired'): void;
}

/** What came of handing a file in. */
export type SubmittedLens =
  /** The bytes are there. */
  | { kind: 'submitted'; analysisId: string; state: string }
  /** They did not arrive in time: nothing will come of this analysis. */
  | { kind: 'upload_expired'; analysisId: string }
  | { kind: 'upload_refused'; analysisId: string; code: string | null; message: string }
  /** The repeated key is refused: which analysis it made nobody can tell. */
  | { kind: 'unknown'; code: string | null; message: string };

export type SubmitLensInput = WaitOrder & {
  ref: LensRef;
  /** Which analysis of this ask, from 1: each has a key of its own. */
  attempt: number;
};
export type AwaitLensInput = WaitOrder & { ref: LensRef; analysisId: string };

/** What was just made may not be readable yet. */
const readPatienceMs = 60_000;
/** An upload that is refused goes again to a fresh address so often. */
const mostUploadRefusals = 5;

/** An analysis is asked for with one key for each attempt, so that it is made once (DESIGN D3). */
export function createLensActivities(deps: LensDependencies) {
  const { archive, audit, lens, metrics, now, stopping } = deps;
  const file = new LensFile(archive);
  const wait = new SettledWait(deps);
  const isoNow = (): string => new Date(now()).toISOString();

  /** Has the analysis made, or finds the one that was, and its bytes handed in. */
  async function submitLens(input: SubmitLensInput): Promise<Waited<SubmittedLens>> {
    const record = await recordOf(input.ref);
    await proveCopy(record);
    const handing = new HandingIn(record, input.attempt);
    return wait.until<SubmittedLens>((signal) => handing.step(now() - input.since, signal), {
      ...input,
      what: 'the file of an analysis',
    });
  }

  /** One attempt to hand a file in; what it knows beyond the archive is lost with its process. */
  class HandingIn {
    readonly #record: LensRecord;
    readonly #attempt: number;
    /** As it was made, or made known again, just now. */
    #fresh: LensAnalysis | null = null;
    #refusals = 0;

    constructor(record: LensRecord, attempt: number) {
      this.#record = record;
      this.#attempt = attempt;
    }

    async step(ageMs: number, signal: AbortSignal): Promise<Reading<SubmittedLens>> {
      const created = await file.created(this.#record.name, this.#attempt);
      if (created === null) {
        const refused = await this.#create();
        if (refused !== null) return refused;
      }
      const analysis = this.#fresh ?? (await this.#read(created, ageMs, signal));
      this.#fresh = null;
      return analysis === null ? unsettled('handing in') : this.#forward(analysis, signal);
    }

    /**
     * One send of the request, with the key of the attempt. It is never broken off: what it came to
     * is worth more than the time.
     *
     * @returns null when the analysis is known
     */
    async #create(): Promise<Reading<SubmittedLens> | null> {
      const { name, mode, file: input } = this.#record;
      const wanted = { at: isoNow(), key: lensKey(name, this.#attempt) };
      const intent = await file.putIntent(name, this.#attempt, wanted);
      try {
        const { bytes: sizeBytes, sha256 } = input;
        const { analysis } = await lens.create({ sizeBytes, sha256, mode, key: intent.key });
        await this.#made(analysis);
        return null;
      } catch (error) {
        return this.#createFailed(error, intent);
      }
    }

    /** @throws what passes, and the refusal when nothing can have been made before it */
    async #createFailed(
      error: unknown,
      intent: LensIntent & { isNew: boolean },
    ): Promise<Reading<SubmittedLens>> {
      if (intent.isNew && isSurelyUnprocessed(error)) {
        await file.removeIntent(this.#record.name, this.#attempt);
      }
      if (!isForGood(error)) throw error;
      if (error.retryable === true) return unsettled('handing in', error.retryAfterMs);
      if (intent.isNew) throw error;
      const { code, message } = error;
      return { kind: 'settled', value: { kind: 'unknown', code, message } };
    }

    async #made(analysis: LensAnalysis): Promise<void> {
      const { name } = this.#record;
      const wanted = { analysisId: analysis.analysisId, at: isoNow() };
      const stands = await file.putCreated(name, this.#attempt, wanted);
      await audit.append([lensRequestEntry(stands, this.#record, this.#attempt)]);
      if (stands.analysisId === analysis.analysisId) this.#fresh = analysis;
    }

    /** @returns null when what was just made is not there yet */
    async #read(
      created: CreatedLens | null,
      ageMs: number,
      signal: AbortSignal,
    ): Promise<LensAnalysis | null> {
      const known = created ?? (await file.created(this.#record.name, this.#attempt));
      if (known === null) return null;
      try {
        return (await lens.read(known.analysisId, 'request', signal)).analysis;
      } catch (error) {
        if (isForGood(error) && ageMs < readPatienceMs) return null;
        throw error;
      }
    }

    async #forward(analysis: LensAnalysis, signal: AbortSignal): Promise<Reading<SubmittedLens>> {
      const { analysisId, state, upload } = analysis;
      const { name } = this.#record;
      if (await file.wasUploaded(name, this.#attempt)) return this.#submit(analysis, signal);
      if (state === 'expired') return this.#uploadExpired(analysisId);
      const isAwaiting = state === 'awaiting_upload' || (state === 'unknown' && upload !== null);
      if (!isAwaiting && state !== 'unknown') return submitted(analysisId, state);
      if (!isAwaiting) return unsettled('handing in', analysis.pollAfterMs, analysis.statusWord);
      if (upload === null) return this.#askForInstructions(analysis);
      const isLate = upload.expiresAt !== null && Date.parse(upload.expiresAt) <= now();
      // Clocks differ: the store has the last word on whether it is too late.
      if (isLate && this.#refusals > 0) return this.#uploadExpired(analysisId);
      return this.#upload(analysis, upload, signal);
    }

    /** The documented answer to a known key has them, where a read leaves them out. */
    async #askForInstructions(analysis: LensAnalysis): Promise<Reading<SubmittedLens>> {
      const { name, mode, file: input } = this.#record;
      const key = lensKey(name, this.#attempt);
      const { bytes: sizeBytes, sha256 } = input;
      const again = await lens.create({ sizeBytes, sha256, mode, key });
      const isSame = again.analysis.analysisId === analysis.analysisId;
      if (isSame && again.analysis.upload !== null) this.#fresh = again.analysis;
      return unsettled('handing in', analysis.pollAfterMs);
    }

    async #upload(
      analysis: LensAnalysis,
      upload: LensUpload,
      signal: AbortSignal,
    ): Promise<Reading<SubmittedLens>> {
      const { analysisId } = analysis;
      const { bytes: sizeBytes, key } = this.#record.file;
      const options = { sizeBytes, timeoutMs: uploadTimeoutMs(sizeBytes) };
      // Another worker sends it again: bytes that were broken off are taken by nobody.
      const until = AbortSignal.any([signal, stopping]);
      try {
        await lens.upload(upload, () => Readable.from(readLarge(archive, key)), options, until);
      } catch (error) {
        if (!isForGood(error) && !(error instanceof ContractError)) throw error;
        this.#refusals += 1;
        if (this.#refusals < mostUploadRefusals) return unsettled('handing in', 1_000);
        metrics.uploadEnded('refused');
        const { message } = error;
        const code = error instanceof StatusError ? error.code : null;
        const value = { kind: 'upload_refused' as const, analysisId, code, message };
        return { kind: 'settled', value };
      }
      await file.putUploaded(this.#record.name, this.#attempt, isoNow());
      metrics.uploadEnded('taken');
      return this.#submit(analysis, signal);
    }

    /** Where the upload by itself starts nothing (`LENS_SUBMIT_PATH`), it is asked for. */
    async #submit(analysis: LensAnalysis, signal: AbortSignal): Promise<Reading<SubmittedLens>> {
      const { analysisId, state } = analysis;
      if (state !== 'awaiting_upload') return submitted(analysisId, state);
      if (lens.submitPath === null) return submitted(analysisId, 'queued');
      const answer = await lens.submit(analysisId, signal);
      return submitted(analysisId, answer.analysis.state);
    }

    async #uploadExpired(analysisId: string): Promise<Reading<SubmittedLens>> {
      const { name } = this.#record;
      const at = isoNow();
      await file.putUploadExpired(name, this.#attempt, at);
      metrics.uploadEnded('expired');
      const created = { analysisId, at };
      await audit.append([lensReplacedEntry(created, this.#record, this.#attempt, at)]);
      return { kind: 'settled', value: { kind: 'upload_expired', analysisId } };
    }
  }

  /** Reads the analysis until it has settled, and files it as it was told. */
  async function awaitLens(input: AwaitLensInput): Promise<Waited<LensSeen>> {
    const { analysisId, ref } = input;
    return wait.until<LensSeen>(
      async (signal) => {
        const read = await lens.read(analysisId, 'poll', signal);
        const { analysis } = read;
        if (isLensSettled(analysis.state)) {
          return { kind: 'settled', value: await filed(ref, read) };
        }
        return {
          kind: 'unsettled',
          value: lensSeen(analysis, null),
          // The bytes are there: that the service has not noticed is no change.
          visible: analysis.state === 'awaiting_upload' ? 'queued' : analysis.state,
          unknownWord: analysis.state === 'unknown' ? analysis.statusWord : null,
          pollAfterMs: analysis.pollAfterMs,
        };
      },
      { ...input, what: 'an analysis', refusalPatienceMs: readPatienceMs },
    );
  }

  async function filed(ref: LensRef, { analysis, answer }: LensAnswer): Promise<LensSeen> {
    const body = await file.putAnswer(ref.folder, answer);
    const index = new DocumentIndexWriter(archive, lensIndexes(ref.folder).answer, deps.nameOf);
    for (const document of documentsInText(body.toString('utf8'))) {
      await index.addDocument(document);
    }
    await index.flush();
    return lensSeen(analysis, createHash('sha256').update(body).digest('hex'));
  }

  /** Puts the end on file and on the audit trail. Repeated, what was filed first stands. */
  async function concludeLens(input: {
    ref: LensRef;
    /** The last one that was begun. */
    attempt: number;
    outcome: Omit<LensOutcome, 'workId' | 'settledAt' | 'analysisId'>;
  }): Promise<LensOutcome> {
    const { attempt, outcome, ref } = input;
    const record = await recordOf(ref);
    const analysisId = (await file.created(record.name, attempt))?.analysisId ?? null;
    const isOpen = outcome.status === 'expired' || outcome.status === 'cancelled';
    const mayBeMade =
      isOpen && analysisId === null && (await file.intent(record.name, attempt)) !== null;
    const filedOutcome = await file.putOutcome(ref.folder, {
      ...outcome,
      ...(mayBeMade && answerLost),
      workId: ref.workId,
      analysisId: analysisId ?? outcome.replaced.at(-1)?.analysisId ?? null,
      settledAt: isoNow(),
    });
    await audit.append([lensOutcomeEntry(filedOutcome, record.createdBy)]);
    metrics.lensEnded(filedOutcome.status);
    return filedOutcome;
  }

  /** @throws ApplicationFailure */
  async function recordOf({ folder }: LensRef): Promise<LensRecord> {
    const record = await file.record(folder);
    if (record === null) throw archiveIncomplete(`${folder}/asked.json`);
    return record;
  }

  /**
   * Before anything is asked for: a copy that was purged or spoilt cannot be handed in.
   *
   * @throws ApplicationFailure
   */
  async function proveCopy({ file: { bytes, key } }: LensRecord): Promise<void> {
    const copy = await findLarge(archive, key);
    if (copy?.bytes !== bytes) throw archiveIncomplete(key);
    try {
      for await (const _ of readLarge(archive, key));
    } catch (error) {
      throw error instanceof RangeError ? archiveIncomplete(key) : error;
    }
  }

  return { submitLens, awaitLens, concludeLens };
}

const answerLost: Pick<LensOutcome, 'status' | 'error'> = {
  status: 'unknown_outcome',
  error: {
    code: 'answer_lost',
    message: 'a request may have arrived: the same command asks again with the same key',
  },
};

function submitted(analysisId: string, state: string): Reading<SubmittedLens> {
  return { kind: 'settled', value: { kind: 'submitted', analysisId, state } };
}

function unsettled(
  visible: string,
  pollAfterMs: number | null = null,
  unknownWord: string | null = null,
): Reading<SubmittedLens> {
  const value = { kind: 'unknown', code: null, message: '' } as const;
  return { kind: 'unsettled', value, visible, unknownWord, pollAfterMs };
}

/** Nothing left, or it was turned away at the door. */
function isSurelyUnprocessed(error: unknown): boolean {
  if (error instanceof StatusError) {
    return error.meansCredentials || error.status === 429 || isForGood(error);
  }
  const isLost = error instanceof ConnectionError || error instanceof TimeoutError;
  return isLost ? error.sent === 'no' : false;
}

function lensSeen(analysis: LensAnalysis, sha256: string | null): LensSeen {
  const { analysisId, artifacts, billing, failure, mode, result, state, statusWord } = analysis;
  return {
    analysisId,
    state,
    statusWord,
    mode,
    hasResult: result !== null,
    artifacts: artifacts.length,
    billing,
    sha256,
    failure: failure && { code: failure.code, message: failure.message ?? '' },
  };
}
