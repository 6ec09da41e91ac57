import type { JobRef } from '../../domain/core/job-record';
import type { Artifact, ArtifactFiles } from '../../domain/core/artifact';
import { findArtifact } from '../../store/core/artifacts';
import { isCallFailure } from '../../apis/http/classify';
import { withEither } from '../../apis/http/signals';
import type { LensAnswer } from '../../apis/investigation/lens';
import { artifactsInAnswer, type LensAnalysis } from '../../apis/investigation/wire/lens.wire';
import { indexDocuments } from '../../store/core/subject-index';
import { LensRepository, lensIndexes } from '../../store/lens/lens';
import { lensSubject, undecidedAttempt } from '../../domain/core/service/attempts';
import { documentsInText } from '../../domain/core/documents/held-documents';
import {
  isLensSettled,
  lensOutcomeEntry,
  type LensOutcome,
  type LensSeen,
} from '../../domain/lens/analyze';
import type { PollRequest, Polled } from '../../domain/core/service/poll-request';
import { answerLost } from '../core/attempt';
import { fileArtifacts, type ArtifactDesk } from '../core/artifacts';
import { recordOf, sha256Of, storeOutcome } from '../core/job-records';
import { MissingResults, createPolling, type Reading } from '../core/poll-until-settled';
import type { LensDependencies } from '../dependencies';
import { createLensSubmitActivities, readPatienceMs } from './submit';

export type AwaitLensInput = PollRequest & { ref: JobRef; analysisId: string };

/** Time of a read that a person waits for. */
const lookMs = 20_000;

/** One picture: uploaded, polled, its artifacts stored, finalized. */
export function createLensActivities(deps: LensDependencies) {
  const { store, lens, now, stopping } = deps;
  const { attempts } = store;
  const file = new LensRepository(store);
  const pollUntilSettled = createPolling(deps);
  const missing = new MissingResults(now);

  /** Polls the analysis until it has settled, and stores the last response. */
  async function awaitLens(input: AwaitLensInput): Promise<Polled<LensSeen>> {
    const { analysisId, ref } = input;
    return pollUntilSettled<LensSeen>(
      async (signal) => {
        const read = await lens.read(analysisId, 'poll', signal);
        const { analysis } = read;
        const isBare = analysis.state === 'completed' && analysis.result === null;
        if (isLensSettled(analysis.state) && !missing.mayCome(ref.folder, isBare)) {
          return { kind: 'settled', value: await storeAnswer(ref, read) };
        }
        return {
          kind: 'unsettled',
          value: lensSeen(analysis, null),
          // The bytes are uploaded: a service that has not noticed is no change.
          status: analysis.state === 'awaiting_upload' ? 'queued' : analysis.state,
          unknownWord: analysis.state === 'unknown' ? analysis.statusWord : null,
          pollAfterMs: analysis.pollAfterMs,
        };
      },
      { ...input, what: 'an analysis', refusalPatienceMs: readPatienceMs },
    );
  }

  /**
   * One read for a person who no longer waits for the analysis.
   *
   * @returns null when no analysis is known, or the read fails
   */
  async function lookAtLens(input: { ref: JobRef; attempt: number }): Promise<LensSeen | null> {
    const { attempt, ref } = input;
    const [created] = await file.made((await recordOf(file, ref)).name, attempt);
    if (created === undefined) return null;
    try {
      const read = await withEither([AbortSignal.timeout(lookMs), stopping], (signal) =>
        lens.read(created.analysisId, 'interactive', signal),
      );
      return isLensSettled(read.analysis.state)
        ? await storeAnswer(ref, read)
        : lensSeen(read.analysis, null);
    } catch (error) {
      if (isCallFailure(error)) return null;
      throw error;
    }
  }

  async function storeAnswer(ref: JobRef, { analysis, answer }: LensAnswer): Promise<LensSeen> {
    const body = await file.putAnswer(ref.folder, Buffer.from(JSON.stringify(answer)));
    const held = documentsInText(body.toString('utf8'));
    await indexDocuments(store, lensIndexes(ref.folder).answer, deps.nameOf, held);
    return lensSeen(analysis, sha256Of(body));
  }

  /** Stores and audits the outcome. Idempotent: the first stored outcome stays. */
  async function finalizeLens(input: {
    ref: JobRef;
    /** The last one started. */
    attempt: number;
    outcome: Omit<LensOutcome, 'jobId' | 'settledAt' | 'analysisId'>;
  }): Promise<LensOutcome> {
    const { attempt, outcome, ref } = input;
    const { seen } = outcome;
    const record = await recordOf(file, ref);
    const [created] = await file.made(record.name, attempt);
    const analysisId = created?.analysisId ?? null;
    if (outcome.status === 'expired' && seen?.state === 'expired') {
      await file.giveUp(record.name, attempt, 'expired', now());
    }
    const isOpen = outcome.status === 'expired' || outcome.status === 'cancelled';
    const all = await attempts.of(lensSubject(record.name, attempt));
    const mayBeMade = isOpen && analysisId === null && undecidedAttempt(all) !== null;
    const end: LensOutcome = {
      ...outcome,
      ...(mayBeMade && answerLost),
      billing: seen?.billing ?? outcome.billing ?? created?.billing ?? null,
      files: outcome.files ?? (await filesThere(ref, seen)),
      jobId: ref.jobId,
      analysisId: analysisId ?? outcome.replaced.at(-1)?.analysisId ?? null,
      settledAt: new Date(now()).toISOString(),
    };
    const entries = [lensOutcomeEntry(end, record)];
    return storeOutcome(deps, 'lens', file, ref, end, entries);
  }

  /** For a settled analysis whose files were not all fetched: the files there are. */
  async function filesThere({ folder }: JobRef, seen: LensSeen | null) {
    if (seen === null || !isLensSettled(seen.state)) return null;
    const files: ArtifactFiles = { stored: [], notStored: [] };
    const answer = await file.answer(folder);
    for (const artifact of answer === null ? [] : artifactsInAnswer(answer)) {
      const { artifactId, type } = artifact;
      const there = await findArtifact(store, folder, artifact);
      if (there !== null) files.stored.push(there);
      else files.notStored.push({ artifactId, type, why: 'not fetched in time' });
    }
    return files;
  }

  /**
   * Idempotent: fetches only what is missing, with fresh addresses. A failed artifact does not affect the others.
   */
  async function fileLens(input: AwaitLensInput): Promise<Polled<ArtifactFiles>> {
    const { analysisId, ref } = input;
    return pollUntilSettled(
      async (signal): Promise<Reading<ArtifactFiles>> => {
        const { analysis } = await lens.read(analysisId, 'interactive', signal);
        const artifacts = await announced(ref, analysis.artifacts);
        // The service's read lags behind.
        const isBehind = !isLensSettled(analysis.state);
        const fetched = await fileArtifacts(deskOf(ref), artifacts, signal, isBehind);
        const { isWaitedFor, ...value } = fetched;
        if (!isWaitedFor) return { kind: 'settled', value };
        const status = 'fetching';
        return { kind: 'unsettled', value, status };
      },
      {
        ...input,
        what: 'the artifacts of an analysis',
        refusalPatienceMs: readPatienceMs,
      },
    );
  }

  /** Artifacts reported now, and stored ones that are no longer reported. */
  async function announced(
    { folder }: JobRef,
    reported: readonly Artifact[],
  ): Promise<readonly Artifact[]> {
    const ids = new Set(reported.map(({ artifactId }) => artifactId));
    const answer = await file.answer(folder);
    const before = answer === null ? [] : artifactsInAnswer(answer);
    return [...reported, ...before.filter(({ artifactId }) => !ids.has(artifactId))];
  }

  function deskOf({ folder }: JobRef): ArtifactDesk {
    return {
      store,
      folder,
      service: lens.service,
      now,
      unaddressed: 'doubtful',
      note: (artifactId) => file.note(folder, ['fetch', artifactId], now()),
    };
  }

  return {
    ...createLensSubmitActivities(deps),
    awaitLens,
    fileLens,
    lookAtLens,
    finalizeLens,
  };
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
