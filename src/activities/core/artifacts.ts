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

/** Why a file that the service announced is not on file: words of ours. */
interface ArtifactFault {
  why: string;
  /** `doubtful` is believed after some tries; `passing` is waited out, to the deadline. */
  kind: 'final' | 'doubtful' | 'passing';
  isRefused?: true;
}

/** What may be so for good is fetched again, from a fresh address, before it is believed. */
const mostFetches = 4;

function concernsCredentials(error: unknown): error is CallFailure {
  return isCallFailure(error) && classifyFailure(error) === 'credentials';
}

/** Bytes of one artifact. */
const maxBytes = 128 * 1024 * 1024;
/** A slow store is waited for. */
const timeoutMs = 120_000;

/** Where the artifacts of one job are stored. */
export interface ArtifactDesk {
  store: Store;
  folder: string;
  service: Service;
  now: () => number;
  /** Of one without an address. */
  unaddressed: ArtifactFault['kind'];
  /** Why it is not to be believed, by its first bytes. */
  faultOf?: (artifact: Artifact, beginning: Uint8Array) => string | null;
  /** Notes a fetch that came to nothing. @returns how often that has been so */
  note: (artifactId: string) => Promise<number>;
}

export interface FetchedArtifacts extends ArtifactFiles {
  isWaitedFor: boolean;
}

/**
 * Fetches what is missing and nothing else. One that cannot be had costs none of the others.
 *
 * @param isBehind what is not reported yet is nobody's fault
 * @throws refused credentials, once the others are fetched; cancellation, the store's own
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
 * @returns null when it is on file
 * @throws what is no fault of this artifact: refused credentials, cancellation, the store's own
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

/** @throws what is no fault of an artifact */
function artifactFault(error: unknown): ArtifactFault {
  if (error instanceof RefusedArtifactError) return { why: error.message, kind: 'doubtful' };
  if (!isCallFailure(error)) throw error;
  if (error instanceof RefusedAddressError) {
    return { why: error.message, kind: 'final', isRefused: true };
  }
  if (isTooLarge(error)) return { why: `larger than ${maxBytes} bytes`, kind: 'final' };
  if (error instanceof StatusError) {
    // An address that has expired, or leads nowhere, is read anew, with the next read.
    const mayPass = classifyFailure(error) === 'transient';
    return { why: `answered ${error.status}`, kind: mayPass ? 'passing' : 'doubtful' };
  }
  const why = error instanceof TimeoutError ? 'not whole in time' : 'no whole answer';
  return { why, kind: 'passing' };
}
