import type { JobEnding, JobStart } from '../domain/job';
import { AttemptRepository } from './attempts';
import { JobRepository, endJob, startJob } from './jobs';
import { OutcomeRepository } from './outcomes';
import { RowRepository } from './batches/rows';
import { SubjectRepository } from './subjects';
import { removeOrphans } from './orphans';
import { statement, type Statement, type StatementResult } from './statement';
import type { Seal } from './seal';
import { SealedStore } from './sealed-store';
import type { Store, StoreFacts } from './store';
import { StoreError } from './store-error';
import type { StoredBytes } from './stored-bytes';

export type PutResult = 'stored' | 'exists';

export interface PutOptions {
  /** Stands beside the database, however small: PDFs, pictures, uploads. */
  bytes?: boolean;
  /** The record is of what was asked for: with it, the job is there. */
  starts?: JobStart;
  /** The record is of how the job ended. */
  ends?: JobEnding;
}

interface NamedBlob {
  blob: string | null;
}

/** Larger bodies stand beside the database. */
const mostInRow = 64 * 1024;

/** Objects by key: small ones are rows, bytes and large ones are blobs that a row names. */
export class RecordRepository {
  readonly id: string;
  /** Of the repositories; the archive that seals has another. */
  readonly store: SealedStore;
  readonly attempts: AttemptRepository;
  readonly outcomes: OutcomeRepository;
  readonly rows: RowRepository;
  readonly subjects: SubjectRepository;
  readonly jobs: JobRepository;
  readonly #store: Store;

  constructor(store: Store) {
    this.id = store.id;
    this.store = new SealedStore(store);
    this.attempts = new AttemptRepository(this.store);
    this.outcomes = new OutcomeRepository(this.store);
    this.rows = new RowRepository(this.store);
    this.subjects = new SubjectRepository(store);
    this.jobs = new JobRepository(store);
    this.#store = store;
  }

  async putIfAbsent(
    key: string,
    body: Uint8Array | string,
    options: PutOptions = {},
  ): Promise<PutResult> {
    const place = await this.#place(key, body, options, () => this.#has(key));
    if (place === null) return 'exists';
    const { starts, ends } = options;
    const [result] = await this.#commit(place, [
      statement('INSERT INTO record (key, body, blob) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', [
        key,
        place.body,
        place.blob,
      ]),
      ...(starts === undefined ? [] : [startJob(starts, key)]),
      ...(ends === undefined ? [] : [endJob(ends, 'unless ended')]),
    ]);
    if (result?.changes === 1) return 'stored';
    if (place.blob !== null) await this.#store.blobs.remove(place.blob);
    return 'exists';
  }

  async storeBytes(key: string, bytes: Uint8Array | string): Promise<StoredBytes | null> {
    const place = await this.#place(key, bytes, { bytes: true }, () => this.#has(key));
    return place && { key, blob: place.blob ?? '' };
  }

  async replace(key: string, body: Uint8Array | string, options: PutOptions = {}): Promise<void> {
    const place = await this.#place(key, body, options, async () => false);
    if (place === null) return;
    const [before] = await this.#commit(place, [
      statement('SELECT blob FROM record WHERE key = ?', [key]),
      statement(
        `INSERT INTO record (key, body, blob) VALUES (?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET body = excluded.body, blob = excluded.blob`,
        [key, place.body, place.blob],
      ),
      ...(options.ends === undefined ? [] : [endJob(options.ends, 'always')]),
    ]);
    await this.#removeBlobs(before?.rows as NamedBlob[]);
  }

  async remove(key: string): Promise<void> {
    const [gone] = await this.#store.commit([
      statement('DELETE FROM record WHERE key = ? RETURNING blob', [checked(key)]),
    ]);
    await this.#removeBlobs(gone?.rows as NamedBlob[]);
  }

  async removeAll(prefix: string, keep?: string): Promise<void> {
    const kept = keep === undefined ? [] : range(`${keep}/`);
    const [gone] = await this.#store.commit([
      statement(
        `DELETE FROM record WHERE key >= ? AND key < ?${kept.length > 0 ? ' AND NOT (key >= ? AND key < ?)' : ''} RETURNING blob`,
        [...range(prefix), ...kept],
      ),
    ]);
    await this.#removeBlobs(gone?.rows as NamedBlob[]);
  }

  async get(key: string): Promise<Buffer | null> {
    const [row] = await this.#store.read<NamedBlob & { body: Uint8Array }>(
      statement('SELECT body, blob FROM record WHERE key = ?', [checked(key)]),
    );
    if (row === undefined) return null;
    if (row.blob === null) return Buffer.from(row.body);
    const bytes = await this.#store.blobs.get(row.blob);
    if (bytes !== null) return bytes;
    // It may have been removed or replaced between the two looks.
    const [now] = await this.#store.read<NamedBlob>(
      statement('SELECT blob FROM record WHERE key = ?', [key]),
    );
    if (now === undefined) return null;
    if (now.blob !== row.blob) return this.get(key);
    throw new StoreError('corrupt', `the bytes of ${key} are missing`);
  }

  async list(prefix: string): Promise<string[]> {
    const rows = await this.#store.read<{ key: string }>(
      statement('SELECT key FROM record WHERE key >= ? AND key < ? ORDER BY key', [
        ...range(prefix),
      ]),
    );
    return rows.map(({ key }) => key);
  }

  prove(): Promise<StoreFacts> {
    return this.#store.prove();
  }

  forget(): Promise<void> {
    return this.#store.forget();
  }

  sealedBy(seal: Seal): SealedStore {
    return new SealedStore(this.#store, seal);
  }

  removeOrphans(now: number): Promise<number> {
    return removeOrphans(this.#store, now);
  }

  async #has(key: string): Promise<boolean> {
    const rows = await this.#store.read(statement('SELECT 1 FROM record WHERE key = ?', [key]));
    return rows.length > 0;
  }

  /** Bytes are stored before the row that names them; null when they need not be. */
  async #place(
    key: string,
    body: Uint8Array | string,
    { bytes = false }: PutOptions,
    isThere: () => Promise<boolean>,
  ): Promise<{ body: Buffer | null; blob: string | null } | null> {
    checked(key);
    const buffer =
      typeof body === 'string'
        ? Buffer.from(body)
        : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    if (!bytes && buffer.length <= mostInRow) return { body: buffer, blob: null };
    if (await isThere()) return null;
    return { body: null, blob: await this.#store.blobs.put(buffer) };
  }

  /** What surely was not committed leaves no bytes behind. */
  async #commit(
    { blob }: { blob: string | null },
    statements: readonly Statement[],
  ): Promise<StatementResult[]> {
    try {
      return await this.#store.commit(statements);
    } catch (error) {
      if (blob !== null && error instanceof StoreError && error.code !== 'other') {
        await this.#store.blobs.remove(blob).catch(() => undefined);
      }
      throw error;
    }
  }

  async #removeBlobs(rows: readonly NamedBlob[] = []): Promise<void> {
    for (const { blob } of rows) if (blob !== null) await this.#store.blobs.remove(blob);
  }
}

/** Keys are ASCII: `keySegment` sees to it. */
function range(prefix: string): [string, string] {
  return [prefix, `${prefix}\u{10ffff}`];
}

function checked(key: string): string {
  if (key.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new RangeError('archive key with an empty or climbing segment');
  }
  return key;
}
