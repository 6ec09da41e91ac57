import { createHash, randomUUID, type Hash } from 'node:crypto';
import { partKey, sliced } from '../core/large-objects';
import { nameBytes } from '../core/stored-bytes';
import { rowName } from '../seal';
import { pagesOf } from '../pages';
import { forgetNumbers } from '../audit/numbers';
import { marksOf, partsOf, statement, type Statement } from '../statement';
import { toJsonLines } from '../records';
import type { Store } from '../store';
import { StoredBodies } from './bodies';
import { kindOf, sealedTables, type TableName } from './catalog';

/** What becomes of one record or the rows of one holder, and what they were before. */
export interface ErasedObject {
  kind: string;
  /** Its key; where that would tell an id or a sum, `mac:` and its keyed MAC. */
  key: string;
  removed: number;
  emptied: number;
  /** Of what is removed. */
  bytes: number;
  /**
   * Of PDFs alone. Other objects have a known form: whoever guesses what was in them could prove it
   * by a plain sum.
   */
  sha256?: string;
  /** Of the rest: `IdKey.macOf` their sha256, which proves the old bytes to holders of the key. */
  mac?: string;
}

interface Drafted extends ErasedObject {
  hidesKey: boolean;
  hash: Hash;
}

export type Change = (body: unknown) => unknown;

type Row = Readonly<Record<string, unknown>>;

/** Everything that an erasure would change: read and reckoned, and nothing of it written. */
export class ErasureDraft {
  readonly #store: Store;
  readonly #bodies: StoredBodies;
  readonly #objects = new Map<string, Drafted>();
  readonly #removedKeys = new Set<string>();
  readonly #removedHolders = new Map<TableName, Set<string>>();
  readonly #writes = new Map<string, () => Promise<Statement[]>>();
  /** Bytes beside the database that no row will name. */
  readonly blobs: string[] = [];

  constructor(store: Store) {
    this.#store = store;
    this.#bodies = new StoredBodies(store);
  }

  /** How many objects it changes. */
  get size(): number {
    return this.#objects.size;
  }

  removedOf(key: string): number {
    return this.#objects.get(key)?.removed ?? 0;
  }

  async remove(key: string): Promise<void> {
    if (this.#removedKeys.has(key)) return;
    const body = await this.#bodies.get(key);
    if (body === null) return;
    await this.#takeBlob(key);
    this.#removedKeys.add(key);
    this.#writes.delete(key);
    this.#objects.delete(key);
    this.#count(key, kindOf(key)?.kind ?? 'other', kindOf(key)?.hidesKey, body, null);
  }

  async removeBelow(prefix: string): Promise<void> {
    for (const key of await this.#bodies.list(prefix)) await this.remove(key);
  }

  /** An upload or an operation: whatever stands under its name, as one record or in parts. */
  async removeShared(name: string): Promise<void> {
    for (const key of [name, `${name}.json`]) await this.remove(key);
    await this.removeBelow(`${name}/`);
    await this.removeRows('subject', name);
  }

  /** @returns whether anything in it changes */
  async rewrite(key: string, change: Change): Promise<boolean> {
    if (this.#removedKeys.has(key) || this.#writes.has(key)) return false;
    const body = await this.#bodies.get(key);
    if (body === null) return false;
    // A body that is stored as it came may begin with a byte order mark, which this leaves out.
    const text = new TextDecoder().decode(body);
    const isLines = /\.(?:ndjson|jsonl)$/.test(key);
    const before = isLines ? text.split('\n').filter((line) => line !== '') : [text];
    const records = before.map((line) => JSON.parse(line) as unknown);
    const left = records.map(change).filter((one) => one !== null);
    if (JSON.stringify(left) === JSON.stringify(records)) return false;
    if (left.length === 0) {
      await this.remove(key);
      return true;
    }
    await this.#takeBlob(key);
    const kind = kindOf(key);
    this.#count(key, kind?.kind ?? 'other', kind?.hidesKey, body, left);
    const written = isLines ? toJsonLines(left) : JSON.stringify(left[0], null, 2);
    this.#writes.set(key, async () => [await this.#bodies.replacement(key, written)]);
    return true;
  }

  /** Other bytes in the place of a large object; its parts go. */
  async replaceLarge(key: string, body: () => Promise<Buffer>): Promise<void> {
    const manifest = `${key}.json`;
    const before = await this.#store.records.get(manifest);
    if (before === null) return;
    await this.removeBelow(`${key}/`);
    const kind = kindOf(manifest);
    this.#count(manifest, kind?.kind ?? 'other', kind?.hidesKey, before, before);
    this.#writes.set(manifest, async () => {
      const parts = sliced(await body());
      const folder = `${key}/${randomUUID()}`;
      const named: Statement[] = [];
      for (const [part, bytes] of parts.entries()) {
        const stored = await this.#store.records.storeBytes(partKey(folder, part), bytes);
        if (stored !== null) named.push(nameBytes(stored));
      }
      const hash = createHash('sha256');
      for (const bytes of parts) hash.update(bytes);
      const bytes = parts.reduce((sum, part) => sum + part.length, 0);
      const object = { folder, parts: parts.length, bytes, sha256: hash.digest('hex') };
      return [...named, await this.#store.records.replacement(manifest, JSON.stringify(object))];
    });
  }

  /** All rows of a holder. */
  async removeRows(name: TableName, holder: string): Promise<void> {
    const holders = this.#removedHolders.get(name) ?? new Set();
    if (holders.has(holder)) return;
    const { kind, hidesKey } = sealedTables[name];
    for await (const rows of this.#pages(name, holder)) {
      this.#removedHolders.set(name, holders.add(holder));
      for (const row of rows) {
        const body = Buffer.from(JSON.stringify(this.#opened(name, row)));
        this.#count(`${name}/${holder}`, kind, hidesKey, body, null);
      }
    }
  }

  /** That anything tells of a subject, by its keyed name. */
  async removeSubject(name: string): Promise<void> {
    const holders = await this.#store.subjects.lines(name);
    const [number] = await this.#store.read(
      statement('SELECT number FROM subject_number WHERE subject = ?', [name]),
    );
    if (holders.size === 0 && number === undefined) return;
    const body = Buffer.from(JSON.stringify([...holders]));
    this.#count(`subjects/${name}`, sealedTables.subject.kind, undefined, body, null);
    this.#writes.set(`subjects/${name}`, async () => [
      statement('DELETE FROM subject WHERE subject = ?', [name]),
      ...forgetNumbers([name]),
    ]);
  }

  /** Lines of the audit trail lead no more to names of which nothing else is left. */
  async forgetNames(subjects: Iterable<string>): Promise<void> {
    const gone = this.#removedHolders.get('subject') ?? new Set();
    const left: string[] = [];
    for (const subject of subjects) {
      const holders = await this.#store.subjects.holders(subject);
      if ([...holders].every((holder) => gone.has(holder))) left.push(subject);
    }
    this.#writes.set('subject_number', async () => forgetNumbers(left));
  }

  /**
   * Rows of a holder, each as `change` leaves it; null: it goes.
   *
   * @param only rows with one of these values in a column
   * @returns bodies that change, as they were
   */
  async rewriteRows(
    name: TableName,
    holder: string,
    change: Change,
    only?: { column: string; values: Iterable<number | string> },
  ): Promise<unknown[]> {
    const { key, body, kind, hidesKey, isMarked } = sealedTables[name];
    const where = key.map((column) => `${column} = ?`).join(' AND ');
    const changed: unknown[] = [];
    for await (const rows of this.#pages(name, holder, only)) {
      for (const row of rows) {
        const before = this.#opened(name, row);
        const after = change(before);
        if (JSON.stringify(after) === JSON.stringify(before)) continue;
        const its = key.map((column) => row[column]);
        const place = rowName(name, ...its);
        if (this.#writes.has(place)) continue;
        changed.push(before);
        this.#count(
          `${name}/${holder}`,
          kind,
          hidesKey,
          Buffer.from(JSON.stringify(before)),
          after,
        );
        const mark = isMarked ? ', is_erased = 1' : '';
        this.#writes.set(place, async () => [
          after === null
            ? statement(`DELETE FROM ${name} WHERE ${where}`, its)
            : statement(`UPDATE ${name} SET ${body} = ?${mark} WHERE ${where}`, [
                await this.#store.sealed(place, after),
                ...its,
              ]),
        ]);
      }
    }
    return changed;
  }

  /** @param macOf `IdKey.macOf` */
  objects(macOf: (text: string) => string): ErasedObject[] {
    return [...this.#objects.values()].map(({ hash, hidesKey, ...object }) => {
      const sum = hash.copy().digest('hex');
      return {
        ...object,
        key: hidesKey ? `mac:${macOf(object.key)}` : object.key,
        ...(object.kind === 'pdf' ? { sha256: sum } : { mac: macOf(sum) }),
      };
    });
  }

  /** Keys as they are. */
  keys(): string[] {
    return [...this.#objects.keys()];
  }

  /** What is to be committed. New bytes are on the disk by then. */
  async statements(): Promise<Statement[]> {
    const all: Statement[] = [];
    const removing = (table: string, column: string, values: Iterable<string>): void => {
      for (const some of partsOf([...values])) {
        const marks = marksOf([some]);
        all.push(statement(`DELETE FROM ${table} WHERE ${column} IN ${marks}`, some));
      }
    };
    all.push(...this.#bodies.removal(this.#removedKeys));
    for (const [name, holders] of this.#removedHolders)
      removing(name, sealedTables[name].key[0] ?? '', holders);
    for (const write of this.#writes.values()) all.push(...(await write()));
    return all;
  }

  #count(
    key: string,
    kind: string,
    hidesKey: boolean | undefined,
    before: Buffer,
    after: unknown,
  ): void {
    const none = { kind, key, removed: 0, emptied: 0, bytes: 0, hidesKey: hidesKey === true };
    const object = this.#objects.get(key) ?? { ...none, hash: createHash('sha256') };
    object.hash.update(before);
    if (after !== null) object.emptied += 1;
    else {
      object.removed += 1;
      object.bytes += before.length;
    }
    this.#objects.set(key, object);
  }

  async #takeBlob(key: string): Promise<void> {
    const named = statement('SELECT blob FROM record WHERE key = ? AND blob IS NOT NULL', [key]);
    for (const { blob } of await this.#store.read<{ blob: string }>(named)) this.blobs.push(blob);
  }

  async *#pages(
    name: TableName,
    holder: string,
    only?: { column: string; values: Iterable<number | string> },
  ): AsyncGenerator<Row[]> {
    const parts = only === undefined ? [[]] : partsOf([...only.values]);
    for (const values of parts) yield* this.#page(name, holder, only?.column ?? '', values);
  }

  #page(name: TableName, holder: string, column: string, values: unknown[]): AsyncGenerator<Row[]> {
    const { key, body, isMarked } = sealedTables[name];
    const [first, ...further] = key;
    const columns = [...key, ...(body === null ? [] : [body])].join(', ');
    const filters = [
      values.length === 0 ? '' : `AND ${column} IN ${marksOf([values])}`,
      isMarked ? 'AND is_erased = 0' : '',
    ].join(' ');
    return pagesOf<Row>(perPage, (last) => {
      const after = last === undefined ? [] : further.map((one) => last[one]);
      const behind = after.length === 0 ? '' : `AND (${further.join(', ')}) > ${marksOf([after])}`;
      // A holder with one row has no page behind its first.
      if (last !== undefined && further.length === 0) return Promise.resolve([]);
      return this.#store.read(
        statement(
          `SELECT ${columns} FROM ${name} WHERE ${first} = ? ${filters} ${behind}
           ORDER BY ${key.join(', ')} LIMIT ${perPage}`,
          [holder, ...values, ...after],
        ),
      );
    });
  }

  #opened(name: TableName, row: Row): unknown {
    const { key, body } = sealedTables[name];
    const sealed = body === null ? null : row[body];
    if (!(sealed instanceof Uint8Array)) return key.map((column) => row[column]);
    return this.#store.opened(rowName(name, ...key.map((column) => row[column])), sealed);
  }
}

/** Rows of one look. */
const perPage = 200;
