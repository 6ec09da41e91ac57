import { ContractError } from '../apis/http/errors';
import { fetchArtifact } from '../apis/investigation/artifacts';
import { LensFile } from '../archive/lens';
import type { Artifact } from '../domain/artifact';
import type {
  FiledLensArtifact,
  LensFiles,
  LensRef,
  UnfiledLensArtifact,
} from '../domain/lens/analyze';
import type { WaitOrder, Waited } from '../domain/settled-wait';
import type { LensDependencies } from './lens';
import { SettledWait, isForGood, type Reading } from './settled-wait';

/** Bytes of one artifact. */
const maxBytes = 128 * 1024 * 1024;
/** A slow store is waited for. */
const downloadMs = 120_000;
/** An artifact that does not come is fetched again, from a fresh address, before it is given up. */
const mostFetches = 4;

/** The artifacts of an analysis that has settled, on file. */
export function createLensArtifactActivities(deps: LensDependencies) {
  const { archive, lens, now } = deps;
  const file = new LensFile(archive);
  const wait = new SettledWait(deps);

  /** Repeated, it fetches what is missing and nothing else; addresses are read anew each time. */
  async function fileLens(
    input: WaitOrder & { ref: LensRef; analysisId: string },
  ): Promise<Waited<LensFiles>> {
    const { analysisId, ref } = input;
    const tries = new Map<string, number>();
    return wait.until(
      async (signal): Promise<Reading<LensFiles>> => {
        const { analysis } = await lens.read(analysisId, 'interactive', signal);
        const filed: FiledLensArtifact[] = [];
        const unfiled: UnfiledLensArtifact[] = [];
        let isWaitedFor = false;
        for (const artifact of analysis.artifacts) {
          const { artifactId, type } = artifact;
          const fault = await fetchOne(ref, artifact, signal);
          const there = await file.artifact(ref.folder, artifact);
          if (there !== null) {
            filed.push(there);
            continue;
          }
          const count = (tries.get(artifactId) ?? 0) + 1;
          tries.set(artifactId, count);
          if (fault?.mayPass === true && count < mostFetches) isWaitedFor = true;
          unfiled.push({ artifactId, type, why: fault?.why ?? 'not filed' });
        }
        const value = { filed, unfiled };
        if (!isWaitedFor) return { kind: 'settled', value };
        const visible = 'fetching';
        return { kind: 'unsettled', value, visible, unknownWord: null, pollAfterMs: null };
      },
      { ...input, what: 'the artifacts of an analysis' },
    );
  }

  /** @returns null when it is on file; what passes is thrown */
  async function fetchOne(
    ref: LensRef,
    { artifactId, availableUntil, type, url }: Artifact,
    signal: AbortSignal,
  ): Promise<{ why: string; mayPass: boolean } | null> {
    if ((await file.artifact(ref.folder, { artifactId, type })) !== null) return null;
    if (url === null) return { why: 'no address', mayPass: false };
    if (availableUntil !== null && Date.parse(availableUntil) <= now()) {
      return { why: 'no longer available', mayPass: false };
    }
    try {
      const options = { timeoutMs: downloadMs, maxBytes };
      const body = await fetchArtifact(lens.service, url, bytesOf, options, 'pdf', signal);
      if (body.length === 0) return { why: 'empty', mayPass: true };
      await file.putArtifact(ref.folder, artifactId, body);
      return null;
    } catch (error) {
      // An address that has expired is read anew, with the next read.
      if (isForGood(error)) return { why: `answered ${error.status}`, mayPass: true };
      if (error instanceof ContractError) return { why: 'no web address', mayPass: false };
      throw error;
    }
  }

  return { fileLens };
}

async function bytesOf({ body }: { body: AsyncIterable<Buffer> }): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
