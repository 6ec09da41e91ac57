import {
  classifyFailure,
  isCallFailure,
  isTooLarge,
  type CallFailure,
} from '../../apis/http/classify';
import { StatusError, TimeoutError } from '../../apis/http/errors';
import { RefusedAddressError } from '../../protection/address-guard';
import type { Service } from '../../apis/http/service';
import { fetchArtifact } from '../../apis/investigation/artifacts';
import type { Artifact, ArtifactFiles } from '../../domain/core/artifact';
import { RefusedArtifactError, findArtifact, putArtifact } from '../../store/core/artifacts';
import type { Store } from '../../store/store';

/** Why an announced file is not stored, in our words. */
interface ArtifactFault {
  why: string;
  /** `doubtful` becomes final after some tries; `passing` is retried until the deadline. */
  kind: 'final' | 'doubtful' | 'passing';
  isRefused?: true;
}

/** A doubtful failure is fetched again, from a fresh address, before it is final. */
const mostFetches = 4;

function concernsCredentials(error: unknown): error is CallFailure {
  return isCallFailure(error) && classifyFailure(error) === 'credentials';
}

/** Bytes of one artifact. */
const maxBytes = 128 * 1024 * 1024;
/** Long, for slow file servers. */
const timeoutMs = 120_000;

/** How the artifacts of one job are stored. */
export interface ArtifactDesk {
  store: Store;
  folder: string;
  service: Service;
  now: () => number;
  /** For an artifact without an address. */
  unaddressed: ArtifactFault['kind'];
  /** Why its first bytes show a wrong file. */
  faultOf?: (artifact: Artifact, beginning: Uint8Array) => string | null;
  /** Counts a failed fetch. @returns the count */
  note: (artifactId: string) => Promise<number>;
}

export interface FetchedArtifacts extends ArtifactFiles {
  isWaitedFor: boolean;
}

/**
 * Fetches what is missing and nothing else. A failed artifact does not affect the others.
 *
 * @param isBehind an artifact not reported yet is no failure
 * @throws refused credentials, after the others are fetched; cancellation; store errors
 */
export async function fileArtifacts(
  desk: ArtifactDesk,
  artifacts: readonly Artifact[],
  signal: AbortSignal,
  isBehind = false,
): Promise<FetchedArtifacts> {
  const fetched: FetchedArtifacts = { stored: [], notStored: [], isWaitedFor: false };
  let credentials: Error | null = null;
  for (const artifact of artifacts) {
    const { artifactId, type } = artifact;
    const fault = await fetchOne(desk, artifact, signal).catch((error: unknown): ArtifactFault => {
      if (signal.aborted || !concernsCredentials(error)) throw error;
      credentials = error;
      return { why: 'credentials', kind: 'passing' };
    });
    const there = await findArtifact(desk.store, desk.folder, artifact);
    if (there !== null) {
      fetched.stored.push(there);
      continue;
    }
    const isDoubtful = !isBehind && fault?.kind !== 'passing' && fault?.kind !== 'final';
    const mayCome = isDoubtful ? (await desk.note(artifactId)) < mostFetches : isBehind;
    fetched.isWaitedFor ||= mayCome || fault?.kind === 'passing';
    const { why = 'not stored', isRefused } = fault ?? {};
    fetched.notStored.push({ artifactId, type, why, ...(isRefused && { isRefused }) });
  }
  if (credentials !== null) throw credentials as Error;
  return fetched;
}

/**
 * @returns null when it is stored
 * @throws errors not of this artifact: refused credentials, cancellation, store errors
 */
async function fetchOne(
  { store, folder, service, now, unaddressed, faultOf }: ArtifactDesk,
  artifact: Artifact,
  signal: AbortSignal,
): Promise<ArtifactFault | null> {
  const { artifactId, availableUntil, url } = artifact;
  if ((await findArtifact(store, folder, artifact)) !== null) return null;
  if (url === null) return { why: 'no address', kind: unaddressed };
  if (availableUntil !== null && Date.parse(availableUntil) <= now()) {
    return { why: 'no longer available', kind: 'final' };
  }
  try {
    const take = ({ body }: { body: AsyncIterable<Buffer> }) =>
      putArtifact(
        store,
        folder,
        artifactId,
        body,
        faultOf && ((begins) => faultOf(artifact, begins)),
      );
    await fetchArtifact(service, url, take, { timeoutMs, maxBytes }, 'pdf', signal);
    return null;
  } catch (error) {
    if (signal.aborted || concernsCredentials(error)) throw error;
    return artifactFault(error);
  }
}

/** @throws errors not of an artifact */
function artifactFault(error: unknown): ArtifactFault {
  if (error instanceof RefusedArtifactError) return { why: error.message, kind: 'doubtful' };
  if (!isCallFailure(error)) throw error;
  if (error instanceof RefusedAddressError) {
    return { why: error.message, kind: 'final', isRefused: true };
  }
  if (isTooLarge(error)) return { why: `larger than ${maxBytes} bytes`, kind: 'final' };
  if (error instanceof StatusError) {
    // An expired or wrong address is read anew with the next read.
    const mayPass = classifyFailure(error) === 'transient';
    return { why: `answered ${error.status}`, kind: mayPass ? 'passing' : 'doubtful' };
  }
  const why = error instanceof TimeoutError ? 'not whole in time' : 'no whole answer';
  return { why, kind: 'passing' };
}
