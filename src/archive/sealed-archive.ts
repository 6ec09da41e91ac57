import { AttemptRepository } from '../store/attempts';
import { RowRepository } from '../store/batches/rows';
import type { JobRepository } from '../store/jobs';
import { OutcomeRepository } from '../store/outcomes';
import type { RecordRepository } from '../store/records';
import type { StoredBytes } from '../store/stored-bytes';
import type { Seal } from '../store/seal';
import type { SealedStore } from '../store/sealed-store';
import type { SubjectRepository } from '../store/subjects';
import type { StoreFacts } from '../store/store';
import { BrokenSealError, UnknownKeyError, type KeyRing } from '../protection/key-ring';
import { ArchiveError, type Archive, type PutOptions, type PutResult } from './archive';

export { BrokenSealError };

export interface ArchiveSealing {
  keys: KeyRing;
  /** Called once, before anything is sealed: throws when the keys are not those of the archive. */
  proveKeys?: (archive: Archive) => Promise<void>;
}

/**
 * Begins every sealed object: a byte that no text begins with, a name, the version, and line ends
 * that a transfer as text would spoil. Then one byte for the length of the key's id, the id, and
 * what the key ring made.
 */
const mark = Buffer.from('\x8fDILIGENCE1\r\n\x1a', 'latin1');

/**
 * An archive whose bodies are sealed with the payload keys. Each is sealed for its key: put under another,
 * altered, or put in the clear by a stranger, it does not open.
 */
export class SealedArchive implements Archive, Seal {
  readonly id: string;
  readonly attempts: AttemptRepository;
  readonly outcomes: OutcomeRepository;
  readonly rows: RowRepository;
  readonly subjects: SubjectRepository;
  readonly jobs: JobRepository;
  readonly store: SealedStore;
  readonly #inner: RecordRepository;
  readonly #keys: KeyRing | null;
  readonly #proveKeys: (archive: Archive) => Promise<void>;
  #proven: Promise<void> | undefined;

  /** @param sealing null when there are no keys: nothing is sealed, and what is sealed does not open */
  constructor(inner: RecordRepository, sealing: ArchiveSealing | null) {
    this.id = inner.id;
    this.#inner = inner;
    this.#keys = sealing?.keys ?? null;
    this.#proveKeys = sealing?.proveKeys ?? (async () => undefined);
    this.store = inner.sealedBy(this);
    this.attempts = new AttemptRepository(this.store);
    this.outcomes = new OutcomeRepository(this.store);
    this.rows = new RowRepository(this.store);
    this.subjects = inner.subjects;
    this.jobs = inner.jobs;
  }

  async putIfAbsent(
    key: string,
    body: Uint8Array | string,
    options?: PutOptions,
  ): Promise<PutResult> {
    return this.#inner.putIfAbsent(key, await this.seal(key, body), options);
  }

  async storeBytes(key: string, bytes: Uint8Array | string): Promise<StoredBytes | null> {
    return this.#inner.storeBytes(key, await this.seal(key, bytes));
  }

  async replace(key: string, body: Uint8Array | string, options?: PutOptions): Promise<void> {
    await this.#inner.replace(key, await this.seal(key, body), options);
  }

  async remove(key: string): Promise<void> {
    await this.#inner.remove(key);
  }

  async removeAll(prefix: string, keep?: string): Promise<void> {
    await this.#inner.removeAll(prefix, keep);
  }

  /** @throws ArchiveError when none of our keys opens it, BrokenSealError when it is not as we sealed it */
  async get(key: string): Promise<Buffer | null> {
    const body = await this.#inner.get(key);
    return body === null ? null : this.open(key, body);
  }

  async list(prefix: string): Promise<string[]> {
    return this.#inner.list(prefix);
  }

  prove(): Promise<StoreFacts> {
    return this.#inner.prove();
  }

  forget(): Promise<void> {
    return this.#inner.forget();
  }

  removeOrphans(now: number): Promise<number> {
    return this.#inner.removeOrphans(now);
  }

  async seal(key: string, body: Uint8Array | string): Promise<Uint8Array | string> {
    if (this.#keys === null || staysClear(key)) return body;
    this.#proven ??= this.#proveKeys(this).catch((error: unknown) => {
      // It may have been the disk: the next one looks again.
      this.#proven = undefined;
      throw error;
    });
    await this.#proven;
    const plain = typeof body === 'string' ? Buffer.from(body) : body;
    const { keyId, bytes } = this.#keys.seal('archive', plain, key);
    const id = Buffer.from(keyId);
    return Buffer.concat([mark, Buffer.from([id.length]), id, bytes]);
  }

  /** @throws ArchiveError when none of our keys opens it, BrokenSealError when it is not as we sealed it */
  open(key: string, stored: Uint8Array): Buffer {
    const body = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
    if (!isSealed(body)) {
      if (this.#keys === null || staysClear(key)) return body;
      throw new BrokenSealError(`${key} stands in the clear, where everything of ours is sealed`);
    }
    const idLength = body[mark.length] ?? 0;
    const idEnd = mark.length + 1 + idLength;
    const keyId = body.toString('latin1', mark.length + 1, idEnd);
    if (this.#keys === null) {
      throw new ArchiveError(
        `${key} is sealed with a payload key, and none is at hand: set DILIGENCE_PAYLOAD_KEYS to the keys of this archive`,
      );
    }
    try {
      return this.#keys.open('archive', keyId, body.subarray(idEnd), key);
    } catch (error) {
      if (error instanceof UnknownKeyError) throw new ArchiveError(`${key} is ${error.message}`);
      if (error instanceof BrokenSealError) throw new BrokenSealError(`${key}: ${error.message}`);
      throw error;
    }
  }
}

/**
 * Which keys are ours must be readable before there is a key.
 */
function staysClear(key: string): boolean {
  return key.startsWith('keys/');
}

function isSealed(body: Buffer): boolean {
  return body.subarray(0, mark.length).equals(mark);
}
