import type { BlobDirectory } from './blobs';
import type { SealedDatabase } from './sealed/sealed-database';
import {
  beginsWith,
  insertInto,
  partsOf,
  replacing,
  sql,
  type Statement,
  type StatementResult,
} from './statement';
import { StoreError } from './store-error';

export type PutResult = 'stored' | 'exists';

export interface PutOptions {
  /** Always beside the database: PDFs, pictures, uploads. */
  bytes?: boolean;
}

/** Bytes that are flushed and not yet named by a record. */
export interface StoredBytes {
  key: string;
  blob: string;
}

/** The record that names bytes; an existing record stays, and these bytes are swept later. */
export function nameBytes({ key, blob }: StoredBytes): Statement {
  return insertInto('record', ['key', 'blob'], [[key, blob]]);
}

/** One of the two. */
interface Position {
  body: Buffer | null;
  blob: string | null;
}

interface NamedBlob {
  blob: string | null;
}

/** By then no process is about to name bytes. */
const oldEnoughMs = 2 * 24 * 60 * 60_000;
/** Larger bodies go beside the database. */
const mostInRow = 64 * 1024;

const columns = ['key', 'body', 'blob'];
const replaced = replacing(['key'], ['body', 'blob']);

/**
 * Whole objects by key: slash-separated words in ASCII. Small ones are rows; bytes and large ones are blobs that a
 * row names. Each is sealed for its key.
 */
export class RecordRepository {
  readonly #database: SealedDatabase;
  readonly #blobs: BlobDirectory;

  constructor(database: SealedDatabase, blobs: BlobDirectory) {
    this.#database = database;
    this.#blobs = blobs;
  }

  /**
   * Writes atomically if nothing is there.
   *
   * @returns `stored`, or `exists`: the existing object stays
   */
  async putIfAbsent(
    key: string,
    body: Uint8Array | string,
    { bytes = false }: PutOptions = {},
  ): Promise<PutResult> {
    if (bytes && (await this.#has(key))) return 'exists';
    const position = await this.#position(key, body, bytes);
    const [result] = await this.#commit(position, [
      insertInto('record', columns, [[key, position.body, position.blob]]),
    ]);
    if (result?.changes === 1) return 'stored';
    if (position.blob !== null) await this.#blobs.remove(position.blob);
    return 'exists';
  }

  /** As `putIfAbsent`. */
  putJson(key: string, value: unknown, options?: PutOptions): Promise<PutResult> {
    return this.putIfAbsent(key, JSON.stringify(value, null, 2), options);
  }

  /**
   * Flushes the bytes, to be named in a transaction with related records.
   *
   * @returns null when the key exists already
   */
  async storeBytes(key: string, bytes: Uint8Array | string): Promise<StoredBytes | null> {
    if (await this.#has(key)) return null;
    const { blob } = await this.#position(key, bytes, true);
    return { key, blob: blob ?? '' };
  }

  /** Writes or replaces atomically. */
  async replace(key: string, body: Uint8Array | string): Promise<void> {
    const position = await this.#position(key, body);
    const [before] = await this.#commit(position, [
      sql`SELECT blob FROM record WHERE key = ${key}`,
      insertInto('record', columns, [[key, position.body, position.blob]], replaced),
    ]);
    await this.#removeBlobs(before?.rows as NamedBlob[]);
  }

  /** As `replace`, within a larger transaction; the caller removes the previous bytes. */
  async replacement(key: string, body: Uint8Array | string): Promise<Statement> {
    const position = await this.#position(key, body);
    return insertInto('record', columns, [[key, position.body, position.blob]], replaced);
  }

  /** As `putIfAbsent`, within a larger transaction, which fails when something is there. */
  async insertion(key: string, body: Uint8Array | string): Promise<Statement> {
    const position = await this.#position(key, body);
    const row = [key, position.body, position.blob];
    return { ...insertInto('record', columns, [row]), mustChange: true };
  }

  /** Removes the object. Idempotent. */
  async remove(key: string): Promise<void> {
    const [gone] = await this.#database.commit([
      sql`DELETE FROM record WHERE key = ${checked(key)} RETURNING blob`,
    ]);
    await this.#removeBlobs(gone?.rows as NamedBlob[]);
  }

  /** Removes every object below a prefix that ends with a slash. Idempotent. */
  async removeAll(prefix: string): Promise<void> {
    const [gone] = await this.#database.commit([
      sql`DELETE FROM record WHERE ${beginsWith('key', prefix)} RETURNING blob`,
    ]);
    await this.#removeBlobs(gone?.rows as NamedBlob[]);
  }

  /**
   * Null when there is no such object.
   *
   * @throws StoreConfigError when none of our keys opens it, BrokenSealError when it was altered
   */
  async get(key: string): Promise<Buffer | null> {
    const [row] = await this.#database.read<NamedBlob & { body: Uint8Array }>(
      sql`SELECT body, blob FROM record WHERE key = ${checked(key)}`,
    );
    if (row === undefined) return null;
    if (row.blob === null) return this.#database.open(key, row.body);
    const bytes = await this.#blobs.get(row.blob);
    if (bytes !== null) return this.#database.open(key, bytes);
    // It may have been removed or replaced between the two reads.
    const [now] = await this.#database.read<NamedBlob>(
      sql`SELECT blob FROM record WHERE key = ${key}`,
    );
    if (now === undefined) return null;
    if (now.blob !== row.blob) return this.get(key);
    throw new StoreError('corrupt', `the bytes of ${key} are missing`);
  }

  /** A JSON document, or null. Only we write it: the caller knows its shape. */
  async getJson<T>(key: string): Promise<T | null> {
    const body = await this.get(key);
    return body === null ? null : (JSON.parse(body.toString('utf8')) as T);
  }

  /** Keys below a prefix that ends with a slash, in order; all of them below ''. */
  async list(prefix: string): Promise<string[]> {
    const rows = await this.#database.read<{ key: string }>(
      sql`SELECT key FROM record WHERE ${beginsWith('key', prefix)} ORDER BY key`,
    );
    return rows.map(({ key }) => key);
  }

  /** Removes bytes that no row names, days after they were stored: left by a killed process or a power cut. */
  async removeOrphans(now: number): Promise<number> {
    let removed = 0;
    for (const day of await this.#blobs.daysBefore(now - oldEnoughMs)) {
      for (const some of partsOf(await this.#blobs.namesOf(day))) {
        const rows = await this.#database.read<{ blob: string }>(
          sql`SELECT blob FROM record WHERE blob IN ${some}`,
        );
        const named = new Set(rows.map(({ blob }) => blob));
        for (const name of some.filter((one) => !named.has(one))) {
          await this.#blobs.remove(name);
          removed += 1;
        }
      }
    }
    return removed;
  }

  async #has(key: string): Promise<boolean> {
    const rows = await this.#database.read(sql`SELECT 1 FROM record WHERE key = ${key}`);
    return rows.length > 0;
  }

  /** Bytes are stored before the row that names them. */
  async #position(key: string, plain: Uint8Array | string, bytes = false): Promise<Position> {
    const sealed = await this.#database.seal(checked(key), plain);
    const body = Buffer.isBuffer(sealed) ? sealed : Buffer.from(sealed);
    if (!bytes && body.length <= mostInRow) return { body, blob: null };
    return { body: null, blob: await this.#blobs.put(body) };
  }

  /** A failed commit leaves no bytes behind. */
  async #commit(
    { blob }: { blob: string | null },
    statements: readonly Statement[],
  ): Promise<StatementResult[]> {
    try {
      return await this.#database.commit(statements);
    } catch (error) {
      if (blob !== null && error instanceof StoreError && error.code !== 'other') {
        await this.#blobs.remove(blob).catch(() => undefined);
      }
      throw error;
    }
  }

  async #removeBlobs(rows: readonly NamedBlob[] = []): Promise<void> {
    for (const { blob } of rows) if (blob !== null) await this.#blobs.remove(blob);
  }
}

export function toJsonLines(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** External text as one segment of a key: it can neither climb nor collide. */
export function keySegment(word: string): string {
  return encodeURIComponent(word).replace(
    /[.*'()!~]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

function checked(key: string): string {
  if (key.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw new RangeError('record key with an empty or climbing segment');
  }
  return key;
}
