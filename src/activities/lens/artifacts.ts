import type { JobRef } from '../../domain/core/job-record';
import { artifactsInAnswer } from '../../apis/investigation/wire/lens.wire';
import { LensRepository } from '../../store/lens/lens';
import type { Artifact, ArtifactFiles } from '../../domain/core/artifact';
import { isLensSettled } from '../../domain/lens/analyze';
import type { PollRequest, Polled } from '../../domain/core/service/poll-request';
import { fileArtifacts, type ArtifactDesk } from '../core/artifacts';
import type { LensDependencies } from '../dependencies';
import { readPatienceMs } from './submit';
import { createPolling, type Reading } from '../core/poll-until-settled';

/** Stores the artifacts of a settled analysis. */
export function createLensArtifactActivities(deps: LensDependencies) {
  const { store, lens, now } = deps;
  const file = new LensRepository(store);
  const pollUntilSettled = createPolling(deps);

  /**
   * Idempotent: fetches only what is missing, with fresh addresses. A failed artifact does not affect the others.
   */
  async function fileLens(
    input: PollRequest & { ref: JobRef; analysisId: string },
  ): Promise<Polled<ArtifactFiles>> {
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

  return { fileLens };
}
