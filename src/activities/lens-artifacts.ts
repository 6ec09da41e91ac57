import { fetchArtifact } from '../apis/investigation/artifacts';
import { artifactsInAnswer } from '../apis/investigation/lens.wire';
import { LensFile } from '../store/lens/lens';
import type { Artifact } from '../domain/artifact';
import { isLensSettled, type LensFiles, type LensRef } from '../domain/lens/analyze';
import type { WaitOrder, Waited } from '../domain/settled-wait';
import {
  artifactFault,
  concernsCredentials,
  mostFetches,
  type ArtifactFault,
} from './artifact-faults';
import { readPatienceMs, type LensDependencies } from './lens';
import { SettledWait, type Reading } from './settled-wait';

/** Bytes of one artifact. */
const maxBytes = 128 * 1024 * 1024;
/** A slow store is waited for. */
const downloadMs = 120_000;

/** The artifacts of an analysis that has settled, on file. */
export function createLensArtifactActivities(deps: LensDependencies) {
  const { store, lens, now } = deps;
  const file = new LensFile(store);
  const wait = new SettledWait(deps);

  /**
   * Repeated, it fetches what is missing and nothing else; addresses are read anew each time. One
   * that cannot be had costs none of the others.
   */
  async function fileLens(
    input: WaitOrder & { ref: LensRef; analysisId: string },
  ): Promise<Waited<LensFiles>> {
    const { analysisId, ref } = input;
    return wait.until(
      async (signal): Promise<Reading<LensFiles>> => {
        const { analysis } = await lens.read(analysisId, 'interactive', signal);
        const value: LensFiles = { filed: [], unfiled: [] };
        let isWaitedFor = false;
        let credentials: Error | null = null;
        for (const artifact of await announced(ref, analysis.artifacts)) {
          const { artifactId, type } = artifact;
          const fault = await fetchOne(ref, artifact, signal).catch(
            (error: unknown): ArtifactFault => {
              if (!concernsCredentials(error)) throw error;
              credentials = error;
              return { why: 'credentials', kind: 'passing' };
            },
          );
          const there = await file.artifact(ref.folder, artifact);
          if (there !== null) value.filed.push(there);
          else {
            // A copy of the service that lags behind: what it does not tell yet is nobody's fault.
            const isBehind = !isLensSettled(analysis.state);
            isWaitedFor = isBehind || (await isWaitedOut(ref, artifactId, fault)) || isWaitedFor;
            value.unfiled.push({ artifactId, type, why: fault?.why ?? 'not filed' });
          }
        }
        if (credentials !== null) throw credentials as Error;
        if (!isWaitedFor) return { kind: 'settled', value };
        const visible = 'fetching';
        return { kind: 'unsettled', value, visible, unknownWord: null, pollAfterMs: null };
      },
      {
        ...input,
        what: 'the artifacts of an analysis',
        refusalPatienceMs: readPatienceMs,
      },
    );
  }

  /** What is told now, and what the answer on file told that is told no more. */
  async function announced(
    { folder }: LensRef,
    told: readonly Artifact[],
  ): Promise<readonly Artifact[]> {
    const ids = new Set(told.map(({ artifactId }) => artifactId));
    const answer = await file.answer(folder);
    const before = answer === null ? [] : artifactsInAnswer(answer);
    return [...told, ...before.filter(({ artifactId }) => !ids.has(artifactId))];
  }

  /**
   * @returns null when it is on file
   * @throws what is no fault of this artifact: refused credentials, cancellation, the store's own
   */
  async function fetchOne(
    ref: LensRef,
    artifact: Artifact,
    signal: AbortSignal,
  ): Promise<ArtifactFault | null> {
    const { artifactId, availableUntil, url } = artifact;
    if ((await file.artifact(ref.folder, artifact)) !== null) return null;
    if (url === null) return { why: 'no address', kind: 'doubtful' };
    if (availableUntil !== null && Date.parse(availableUntil) <= now()) {
      return { why: 'no longer available', kind: 'final' };
    }
    try {
      const options = { timeoutMs: downloadMs, maxBytes };
      await fetchArtifact(
        lens.service,
        url,
        ({ body }) => file.putArtifact(ref.folder, artifactId, body),
        options,
        'pdf',
        signal,
      );
      return null;
    } catch (error) {
      if (signal.aborted || concernsCredentials(error)) throw error;
      return artifactFault(error, maxBytes);
    }
  }

  async function isWaitedOut(ref: LensRef, artifactId: string, fault: ArtifactFault | null) {
    if (fault?.kind === 'passing') return true;
    if (fault?.kind === 'final') return false;
    const times = await file.note(ref.folder, ['fetch', artifactId], now());
    return times < mostFetches;
  }

  return { fileLens };
}
