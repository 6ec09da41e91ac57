import {
  lensWorkflowId,
  mostAfterExpiry,
  type AnotherLens,
  type CreatedLens,
  type FiledLensArtifact,
  type LensIntent,
  type LensOutcome,
  type LensRecord,
} from '../../domain/lens/analyze';
import { mediaTypeOf, unknownMediaType } from '../../domain/lens/media-type';
import { lensEnd } from '../../domain/job';
import { JobsOfKind } from '../core/jobs-of-kind';
import { keySegment } from '../records';
import type { Store } from '../store';
import { findLarge, putLarge, readLarge } from '../core/large-objects';

/** There was not a byte to file. */
export class EmptyArtifactError extends Error {
  override readonly name = 'EmptyArtifactError';
}

/**
 * Analyses on file. What the service made stands with the ask (`lens/<name>/attempts/<n>/`), whoever
 * asked for it again; what a work saw of it stands with the work (`lens/<name>/<instant>/`).
 */
export class LensFile extends JobsOfKind<LensRecord, LensOutcome> {
  constructor(store: Store) {
    super(store, {
      root: 'lens/',
      start: ({ workId: id }) => ({ id, kind: 'lens' }),
      end: (outcome) => ({ endedAt: outcome.settledAt, ...lensEnd(outcome) }),
    });
  }

  /** Null: nothing can have left. */
  intent(name: string, attempt: number): Promise<LensIntent | null> {
    return this.store.records.getJson<LensIntent>(`${attemptFolder(name, attempt)}/intent.json`);
  }

  /**
   * To be durable before anything leaves.
   *
   * @returns the one that stands, and whether it is the one handed in
   */
  async putIntent(
    name: string,
    attempt: number,
    intent: LensIntent,
  ): Promise<LensIntent & { isNew: boolean }> {
    const isNew =
      (await this.store.records.putJson(`${attemptFolder(name, attempt)}/intent.json`, intent)) ===
      'stored';
    const stands = isNew ? intent : await this.intent(name, attempt);
    return { ...(stands ?? intent), isNew };
  }

  /** What was to be sent surely was not processed. */
  async removeIntent(name: string, attempt: number): Promise<void> {
    await this.store.records.remove(`${attemptFolder(name, attempt)}/intent.json`);
  }

  created(name: string, attempt: number): Promise<CreatedLens | null> {
    return this.store.records.getJson<CreatedLens>(`${attemptFolder(name, attempt)}/created.json`);
  }

  /** The first one filed stays, and is returned. */
  async putCreated(name: string, attempt: number, created: CreatedLens): Promise<CreatedLens> {
    return this.store.records.putFirst(`${attemptFolder(name, attempt)}/created.json`, created);
  }

  /** What the service made besides, for the same key; null: nothing that is known. */
  another(name: string, attempt: number): Promise<AnotherLens | null> {
    return this.store.records.getJson<AnotherLens>(`${attemptFolder(name, attempt)}/another.json`);
  }

  /** The first one filed stays, and is returned. */
  async putAnother(name: string, attempt: number, another: AnotherLens): Promise<AnotherLens> {
    return this.store.records.putFirst(`${attemptFolder(name, attempt)}/another.json`, another);
  }

  /**
   * Notes a try to hand the file in that came to nothing: no address was told, the store refused, or
   * the analysis could not be read.
   *
   * @returns how often that has been so
   */
  uploadInVain(
    name: string,
    attempt: number,
    why: 'no-address' | 'refused' | 'not-readable',
    at: string,
  ): Promise<number> {
    return this.#note(`${attemptFolder(name, attempt)}/${why}`, at);
  }

  /** Whether the store has refused the bytes before. */
  async wasUploadRefused(name: string, attempt: number): Promise<boolean> {
    return (await this.store.records.list(`${attemptFolder(name, attempt)}/refused/`)).length > 0;
  }

  /** Whether the bytes were taken: they need not go again. */
  async wasUploaded(name: string, attempt: number): Promise<boolean> {
    return (await this.store.records.get(`${attemptFolder(name, attempt)}/uploaded.json`)) !== null;
  }

  async putUploaded(name: string, attempt: number, at: string): Promise<void> {
    await this.store.records.putJson(`${attemptFolder(name, attempt)}/uploaded.json`, { at });
  }

  /** No upload arrived in time: who asks again has another one made. */
  async putUploadExpired(name: string, attempt: number, at: string): Promise<void> {
    await this.store.records.putJson(`${attemptFolder(name, attempt)}/upload-expired.json`, { at });
  }

  /** The service let the analysis expire although it had its file. */
  async putExpired(name: string, attempt: number, at: string): Promise<void> {
    await this.store.records.putJson(`${attemptFolder(name, attempt)}/expired.json`, { at });
  }

  /** Analyses of an ask that the service let expire although they had their file. */
  async expiredAtService(name: string): Promise<number> {
    const keys = await this.store.records.list(attemptsPrefix(name));
    return keys.filter((key) => key.endsWith('/expired.json')).length;
  }

  /** The attempt that is under way, or the next one, from 1. */
  async currentAttempt(name: string): Promise<number> {
    const keys = await this.store.records.list(attemptsPrefix(name));
    const numbers = keys.map((key) => Number(key.slice(attemptsPrefix(name).length).split('/')[0]));
    const last = Math.max(1, ...numbers);
    const isOver = (word: string) => keys.includes(`${attemptFolder(name, last)}/${word}.json`);
    if (isOver('upload-expired')) return last + 1;
    const mayGoOn = (await this.expiredAtService(name)) <= mostAfterExpiry;
    return isOver('expired') && mayGoOn ? last + 1 : last;
  }

  answer(folder: string): Promise<Buffer | null> {
    return this.store.records.get(`${folder}/answer.json`);
  }

  /** The analysis as the service told it at its end. The first one filed stays, and is returned. */
  async putAnswer(folder: string, answer: object): Promise<Buffer> {
    const body = Buffer.from(JSON.stringify(answer));
    const put = await this.store.records.putIfAbsent(`${folder}/answer.json`, body);
    return put === 'stored' ? body : ((await this.answer(folder)) ?? body);
  }

  /** Null when it is not on file yet. */
  async artifact(
    folder: string,
    { artifactId, type }: { artifactId: string; type: string | null },
  ): Promise<FiledLensArtifact | null> {
    const key = artifactKey(folder, artifactId);
    const object = await findLarge(this.store, key);
    if (object === null) return null;
    const { bytes, sha256 } = object;
    return { artifactId, type, mediaType: await this.#mediaType(key), key, sha256, bytes };
  }

  /**
   * Filed as it comes, a part at a time: it may be larger than what a worker can hold.
   *
   * @throws EmptyArtifactError; what `body` throws passes through
   */
  async putArtifact(
    folder: string,
    artifactId: string,
    body: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    await putLarge(this.store, artifactKey(folder, artifactId), body, { check: refuseNothing });
  }

  /** Notes a fetch that came to nothing. @returns how often that has been so */
  fetchedInVain(folder: string, artifactId: string, at: string): Promise<number> {
    return this.#note(`${folder}/not-fetched/${keySegment(artifactId)}`, at);
  }

  /** @throws RangeError when it is not there any more, or not what was filed */
  bytesOf({ key }: FiledLensArtifact): AsyncIterable<Buffer> {
    return readLarge(this.store, key);
  }

  async #note(folder: string, at: string): Promise<number> {
    const count = (await this.store.records.list(`${folder}/`)).length + 1;
    await this.store.records.putJson(`${folder}/${String(count).padStart(4, '0')}.json`, { at });
    return count;
  }

  async #mediaType(key: string): Promise<string> {
    for await (const part of readLarge(this.store, key)) return mediaTypeOf(part);
    return unknownMediaType;
  }
}

/** Key of a file as a large object: by the hash of its bytes, whoever sends them. */
export function lensInputKey(sha256: string): string {
  return `inputs/lens/${sha256.slice(0, 2)}/${sha256}`;
}

/** What the subject index calls that which was asked for, and that which was answered. */
export function lensIndexes(folder: string): { asked: string; answer: string } {
  return { asked: `${folder}/asked`, answer: `${folder}/answer` };
}

async function refuseNothing(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let isEmpty = true;
  for await (const chunk of bytes) isEmpty &&= chunk.length === 0;
  if (isEmpty) throw new EmptyArtifactError('there was nothing to file');
}

function attemptsPrefix(name: string): string {
  return `${lensWorkflowId(name)}/attempts/`;
}

function attemptFolder(name: string, attempt: number): string {
  return `${attemptsPrefix(name)}${String(attempt).padStart(4, '0')}`;
}

function artifactKey(folder: string, artifactId: string): string {
  return `${folder}/artifacts/${keySegment(artifactId)}`;
}
