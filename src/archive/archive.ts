import type { AttemptRepository } from '../store/attempts';
import type { RowRepository } from '../store/batches/rows';
import type { PutOptions, PutResult } from '../store/records';
import type { StoredBytes } from '../store/stored-bytes';
import type { JobRepository } from '../store/jobs';
import type { OutcomeRepository } from '../store/outcomes';
import type { SealedStore } from '../store/sealed-store';
import type { SubjectRepository } from '../store/subjects';
import type { StoreFacts } from '../store/store';

export type { PutOptions, PutResult } from '../store/records';
export type { StoredBytes } from '../store/stored-bytes';

/**
 * What outlives workflows, by key: slash-separated words in ASCII. Bodies are whole objects. Whatever is
 * written is on the disk before its promise resolves.
 */
export interface Archive {
  /** The store's id: every installation's own. Ends the names of the task queues. */
  readonly id: string;
  /** What stands in tables of its own. */
  readonly store: SealedStore;
  /** What was bought, or may have been. */
  readonly attempts: AttemptRepository;
  /** How the rows of works ended. */
  readonly outcomes: OutcomeRepository;
  /** What works have as their input lines. */
  readonly rows: RowRepository;
  /** What holds something about whom. */
  readonly subjects: SubjectRepository;
  /** What was asked for. */
  readonly jobs: JobRepository;
  /**
   * Writes only when nothing is there, all or nothing: readers see the whole object or none.
   *
   * @returns `stored`, or `exists` when another put came first (what is there stays)
   */
  putIfAbsent(key: string, body: Uint8Array | string, options?: PutOptions): Promise<PutResult>;
  /**
   * Bytes first: on the disk when it resolves, to be named in a transaction with what tells of them.
   *
   * @returns null when the key is there already
   */
  storeBytes(key: string, bytes: Uint8Array | string): Promise<StoredBytes | null>;
  /** Writes or replaces, all or nothing. */
  replace(key: string, body: Uint8Array | string, options?: PutOptions): Promise<void>;
  /** Removes the object for good; none is no error. */
  remove(key: string): Promise<void>;
  /**
   * Removes every object below a prefix that ends with a slash; none is no error.
   *
   * @param keep the one prefix right below it that stays, without its slash
   */
  removeAll(prefix: string, keep?: string): Promise<void>;
  /** The bytes, or null when there is no such object. */
  get(key: string): Promise<Buffer | null>;
  /** Keys below a prefix that ends with a slash, in order; all of them below ''. */
  list(prefix: string): Promise<string[]>;
  /** @throws StoreError when it is not the one that was opened, or cannot be written */
  prove(): Promise<StoreFacts>;
  /** What was removed or replaced is on the disk no more when it resolves. */
  forget(): Promise<void>;
  /**
   * Removes bytes that no record names, days after they were stored.
   *
   * @returns how many files are gone
   */
  removeOrphans(now: number): Promise<number>;
}

/** A JSON object of the archive, or null. Its shape is the caller's: only we write there. */
export async function getJson<T>(archive: Archive, key: string): Promise<T | null> {
  const body = await archive.get(key);
  return body === null ? null : (JSON.parse(body.toString('utf8')) as T);
}

/** One JSON document a line. */
export async function getJsonLines<T>(archive: Archive, key: string): Promise<T[] | null> {
  const body = await archive.get(key);
  if (body === null) return null;
  const lines = body.toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}

export function toJsonLines(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** A foreign word as one segment of a key: nothing in it can climb or collide. */
export function keySegment(word: string): string {
  return encodeURIComponent(word).replace(
    /[.*'()!~]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** The archive cannot be used: where, and the cure. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}
