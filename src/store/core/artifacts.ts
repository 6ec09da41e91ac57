import type { StoredArtifact } from '../../domain/core/artifact';
import { mediaTypeOf, unknownMediaType } from '../../domain/core/media-type';
import { keySegment } from '../records';
import type { Store } from '../store';
import { findLarge, putLarge, readLarge } from './large-objects';

/** The bytes are not the artifact: nothing is stored. */
export class RefusedArtifactError extends Error {
  override readonly name = 'RefusedArtifactError';
}

export async function findArtifact(
  store: Store,
  folder: string,
  { artifactId, type }: { artifactId: string; type: string | null },
): Promise<StoredArtifact | null> {
  const key = artifactKey(folder, artifactId);
  const object = await findLarge(store, key);
  if (object === null) return null;
  const { bytes, sha256 } = object;
  let mediaType = unknownMediaType;
  for await (const part of readLarge(store, key)) {
    mediaType = mediaTypeOf(part);
    break;
  }
  return { artifactId, type, mediaType, key, sha256, bytes };
}

/** @param faultOf why it is refused, by its first bytes */
export async function putArtifact(
  store: Store,
  folder: string,
  artifactId: string,
  body: AsyncIterable<Uint8Array>,
  faultOf: (beginning: Uint8Array) => string | null = () => null,
): Promise<void> {
  const check = async (bytes: AsyncIterable<Uint8Array>): Promise<void> => {
    let fault: string | null = 'empty';
    for await (const part of bytes) if (fault === 'empty') fault = faultOf(part);
    if (fault !== null) throw new RefusedArtifactError(fault);
  };
  await putLarge(store, artifactKey(folder, artifactId), body, { check });
}

/** For an attempt that another one replaced. */
export function removeArtifacts({ records }: Store, folder: string): Promise<void> {
  return records.removeAll(`${folder}/artifacts/`);
}

function artifactKey(folder: string, artifactId: string): string {
  return `${folder}/artifacts/${keySegment(artifactId)}`;
}
