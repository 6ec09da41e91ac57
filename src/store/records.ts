import type { BlobDirectory } from './blobs';
import { Repository, type SealedDatabase } from './sealed/sealed-database';
import { insertInto, replacing } from './sealed/table-rows';
import { beginsWith, sql, type Statement, type StatementResult } from './statement';
import { StoreError } from './store-error';

export type PutResult = 'stored' | 'exists';

/** Bytes that are flushed and not yet named by a record. */
export interface StoredBytes {
  key: string;
  blob: string;
}

/** The record that names bytes; an existing record stays, and these bytes are swept later. */
export function nameBytes({ key, blob }: StoredBytes): Statement {
  return insertInto('record', [{ key, blob }]);
}

interface Position {
  body: Buffer | null;
  blob: string | null;
}

type NamedBlob = Pick<Position, 'blob'>;

/** By then no process is about to name bytes. */
const oldEnoughMs = 2 * 24 * 60 * 60_000;
/** Larger bodies go beside the database. */
const mostInRow = 64 * 1024;

/**
 * Whole objects by key: slash-separated words in ASCII. Small ones are rows; bytes and large ones are blobs that a
 * row names. Each is sealed for its key.
 */
export class RecordRepository extends Repository {
  readonly #blobs: BlobDirectory;

  constructor(store: SealedDatabase, blobs: BlobDirectory) {
    super(store);
    this.#blobs = blobs;
  }

  /** Writes at once if nothing is there; else the existing object stays. */
  async putIfAbsent(
    key: string,
    body: Uint8Array | string,
    /** Always beside the database: PDFs, pictures, uploads. */
    { bytes = false } = {},
  ): Promise<PutResult> {
    if (bytes && (await this.#blobOf(key)) !== undefined) return 'exists';
    const position = await this.#position(key, body, bytes);
    const [result] = await this.#commit(position, [rowOf(key, position)]);
    if (result?.changes === 1) return 'stored';
    await this.#removeBlobs([position]);
    return 'exists';
  }

  putJson(key: string, value: unknown): Promise<PutResult> {
    return this.putIfAbsent(key, JSON.stringify(value, null, 2));
  }

  /** Flushes bytes that a transaction is to name. Null: the key exists already. */
  async storeBytes(key: string, bytes: Uint8Array | string): Promise<StoredBytes | null> {
    if ((await this.#blobOf(key)) !== undefined) return null;
    const { blob } = await this.#position(key, bytes, true);
    return { key, blob: blob ?? '' };
  }

  /** Writes or replaces atomically. */
  async replace(key: string, body: Uint8Array | string): Promise<void> {
    const position = await this.#position(key, body);
    const [before] = await this.#commit(position, [
      selectBlob(key),
      rowOf(key, position, replaced),
    ]);
    await this.#removeBlobs(before?.rows as NamedBlob[]);
  }

  /** As `replace`, within a larger transaction; the caller removes the previous bytes. */
  async replacement(key: string, body: Uint8Array | string): Promise<Statement> {
    return rowOf(key, await this.#position(key, body), replaced);
  }

  /** As `putIfAbsent`, within a larger transaction, which fails when something is there. */
  async insertion(key: string, body: Uint8Array | string): Promise<Statement> {
    return { ...rowOf(key, await this.#position(key, body)), mustChange: true };
  }

  async remove(key: string): Promise<void> {
    await this.#remove(sql`key = ${checked(key)}`);
  }

  /** Removes every object below a prefix that ends with a slash. Idempotent. */
  removeAll(prefix: string): Promise<void> {
    return this.#remove(beginsWith('key', prefix));
  }

  /** @throws StoreConfigError when none of our keys opens it, BrokenSealError when it was altered */
  async get(key: string): Promise<Buffer | null> {
    const [row] = await this.store.read<NamedBlob & { body: Uint8Array }>(
      sql`SELECT body, blob FROM record WHERE key = ${checked(key)}`,
    );
    if (row === undefined) return null;
    if (row.blob === null) return this.store.open(key, row.body);
    const bytes = await this.#blobs.get(row.blob);
    if (bytes !== null) return this.store.open(key, bytes);
    // It may have been removed or replaced between the two reads.
    if ((await this.#blobOf(key)) !== row.blob) return this.get(key);
    throw new StoreError('corrupt', `the bytes of ${key} are missing`);
  }

  /** A JSON document, or null. Only we write it: the caller knows its shape. */
  async getJson<T>(key: string): Promise<T | null> {
    const body = await this.get(key);
    return body === null ? null : (JSON.parse(body.toString('utf8')) as T);
  }

  /** The JSON documents below a prefix that ends with a slash, in order of their keys. */
  async allJson<T>(prefix: string): Promise<T[]> {
    const keys = await this.list(prefix);
    const found = await Promise.all(keys.map((key) => this.getJson<T>(key)));
    return found.filter((one) => one !== null);
  }

  /** Keys below a prefix that ends with a slash, in order; all of them below ''. */
  async list(prefix: string): Promise<string[]> {
    const rows = await this.store.read<{ key: string }>(
      sql`SELECT key FROM record WHERE ${beginsWith('key', prefix)} ORDER BY key`,
    );
    return rows.map(({ key }) => key);
  }

  /** Removes bytes that no row names, days after they were stored: left by a killed process or a power cut. */
  async removeOrphans(now: number): Promise<number> {
    let removed = 0;
    for (const day of await this.#blobs.daysBefore(now - oldEnoughMs)) {
      const names = await this.#blobs.namesOf(day);
      const rows = await this.store.readAmong<{ blob: string }>(
        names,
        (some) => sql`SELECT blob FROM record WHERE blob IN ${some}`,
      );
      const named = new Set(rows.map(({ blob }) => blob));
      const orphans = names.filter((one) => !named.has(one));
      await this.#removeBlobs(orphans.map((blob) => ({ blob })));
      removed += orphans.length;
    }
    return removed;
  }

  /** Undefined: no such object. Null: it is in its row. */
  async #blobOf(key: string): Promise<string | null | undefined> {
    return (await this.store.read<NamedBlob>(selectBlob(key)))[0]?.blob;
  }

  /** Bytes are stored before the row that names them. */
  async #position(key: string, plain: Uint8Array | string, bytes = false): Promise<Position> {
    const sealed = await this.store.seal(checked(key), plain);
    const body = Buffer.isBuffer(sealed) ? sealed : Buffer.from(sealed);
    if (!bytes && body.length <= mostInRow) return { body, blob: null };
    return { body: null, blob: await this.#blobs.put(body) };
  }

  /** A failed commit leaves no bytes behind. */
  async #commit({ blob }: NamedBlob, statements: readonly Statement[]): Promise<StatementResult[]> {
    try {
      return await this.store.commit(statements);
    } catch (error) {
      if (blob !== null && error instanceof StoreError && error.code !== 'other') {
        await this.#blobs.remove(blob).catch(() => undefined);
      }
      throw error;
    }
  }

  async #remove(which: Statement): Promise<void> {
    const [gone] = await this.store.commit([sql`DELETE FROM record WHERE ${which} RETURNING blob`]);
    await this.#removeBlobs(gone?.rows as NamedBlob[]);
  }

  async #removeBlobs(rows: readonly NamedBlob[] = []): Promise<void> {
    for (const { blob } of rows) if (blob !== null) await this.#blobs.remove(blob);
  }
}

const replaced = replacing('record', 'body', 'blob');

function rowOf(key: string, position: Position, otherwise?: string): Statement {
  return insertInto('record', [{ key, ...position }], otherwise);
}

function selectBlob(key: string): Statement {
  return sql`SELECT blob FROM record WHERE key = ${key}`;
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
