import {
  classifyFailure,
  isCallFailure,
  isTooLarge,
  type CallFailure,
} from '../../apis/http/classify';
import { ContractError, StatusError, TimeoutError } from '../../apis/http/errors';
import type { Service } from '../../apis/http/service';
import { fetchArtifact } from '../../apis/investigation/artifacts';
import type { Artifact } from '../../domain/core/artifact';
import { EmptyArtifactError } from '../../store/lens/lens';

/** Why a file that the service announced is not on file: words of ours. */
interface ArtifactFault {
  why: string;
  /** `doubtful` is believed after some tries; `passing` is waited out, to the deadline. */
  kind: 'final' | 'doubtful' | 'passing';
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

/** Where the artifacts of one resource are filed. */
export interface ArtifactDesk<F> {
  service: Service;
  now: () => number;
  /** Of one without an address. */
  unaddressed: ArtifactFault['kind'];
  /** Null when it is not on file yet. */
  there: (artifact: Artifact) => Promise<F | null>;
  /** @returns why it is not to be believed; null: it is on file */
  put: (artifact: Artifact, body: AsyncIterable<Buffer>) => Promise<string | null>;
  /** Notes a fetch that came to nothing. @returns how often that has been so */
  note: (artifactId: string) => Promise<number>;
}

export interface FetchedArtifacts<F> {
  filed: F[];
  unfiled: { artifactId: string; type: string | null; why: string }[];
  isWaitedFor: boolean;
}

/**
 * Fetches what is missing and nothing else. One that cannot be had costs none of the others.
 *
 * @param isBehind what is not told yet is nobody's fault
 * @throws refused credentials, once the others are fetched; cancellation, the store's own
 */
export async function fileArtifacts<F>(
  desk: ArtifactDesk<F>,
  artifacts: readonly Artifact[],
  signal: AbortSignal,
  isBehind = false,
): Promise<FetchedArtifacts<F>> {
  const told: FetchedArtifacts<F> = { filed: [], unfiled: [], isWaitedFor: false };
  let credentials: Error | null = null;
  for (const artifact of artifacts) {
    const { artifactId, type } = artifact;
    const fault = await fetchOne(desk, artifact, signal).catch((error: unknown): ArtifactFault => {
      if (signal.aborted || !concernsCredentials(error)) throw error;
      credentials = error;
      return { why: 'credentials', kind: 'passing' };
    });
    const there = await desk.there(artifact);
    if (there !== null) {
      told.filed.push(there);
      continue;
    }
    const isDoubtful = !isBehind && fault?.kind !== 'passing' && fault?.kind !== 'final';
    const mayCome = isDoubtful ? (await desk.note(artifactId)) < mostFetches : isBehind;
    told.isWaitedFor ||= mayCome || fault?.kind === 'passing';
    told.unfiled.push({ artifactId, type, why: fault?.why ?? 'not filed' });
  }
  if (credentials !== null) throw credentials as Error;
  return told;
}

/**
 * @returns null when it is on file
 * @throws what is no fault of this artifact: refused credentials, cancellation, the store's own
 */
async function fetchOne<F>(
  { service, now, unaddressed, there, put }: ArtifactDesk<F>,
  artifact: Artifact,
  signal: AbortSignal,
): Promise<ArtifactFault | null> {
  const { availableUntil, url } = artifact;
  if ((await there(artifact)) !== null) return null;
  if (url === null) return { why: 'no address', kind: unaddressed };
  if (availableUntil !== null && Date.parse(availableUntil) <= now()) {
    return { why: 'no longer available', kind: 'final' };
  }
  try {
    const take = ({ body }: { body: AsyncIterable<Buffer> }) => put(artifact, body);
    const bounds = { timeoutMs, maxBytes };
    const why = await fetchArtifact(service, url, take, bounds, 'pdf', signal);
    return why === null ? null : { why, kind: 'doubtful' };
  } catch (error) {
    if (signal.aborted || concernsCredentials(error)) throw error;
    return artifactFault(error);
  }
}

/** @throws what is no fault of an artifact */
function artifactFault(error: unknown): ArtifactFault {
  if (error instanceof EmptyArtifactError) return { why: 'empty', kind: 'doubtful' };
  if (!isCallFailure(error)) throw error;
  if (error instanceof ContractError) return { why: 'no web address', kind: 'final' };
  if (isTooLarge(error)) return { why: `larger than ${maxBytes} bytes`, kind: 'final' };
  if (error instanceof StatusError) {
    // An address that has expired, or leads nowhere, is read anew, with the next read.
    const mayPass = classifyFailure(error) === 'transient';
    return { why: `answered ${error.status}`, kind: mayPass ? 'passing' : 'doubtful' };
  }
  const why = error instanceof TimeoutError ? 'not whole in time' : 'no whole answer';
  return { why, kind: 'passing' };
}
