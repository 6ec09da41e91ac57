import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { partKey } from '../core/large-objects';
import { columnsOf } from '../migrations';
import { pagesOf } from '../pages';
import { nameBytes, toJsonLines } from '../records';
import { Sealed, rowName } from '../sealed/seal';
import { camelCase } from '../sealed/table-rows';
import { joined, partsOf, raw, sql, type Statement } from '../statement';
import type { Store } from '../store';
import { erasableTables, kindOf, type TableName } from './catalog';

export interface ErasedObject {
  kind: string;
  removed: number;
  emptied: number;
}

/** @param column if several are sealed; null: removed */
export type Change = (body: unknown, column: string) => unknown;

type Row = Readonly<Record<string, unknown>>;

const perPage = 200;

export class ErasureDraft {
  readonly #store: Store;
  readonly #statements: Statement[] = [];
  /** Rewritten records and rows by name; new bytes are stored when it is committed. */
  readonly #writes = new Map<string, () => Promise<Statement[]>>();
  readonly #removed = new Set<string>();
  /** By the key of a record, or `<table>/<holder>`. */
  readonly objects = new Map<string, ErasedObject>();
  /** Bytes beside the database that no row will name. */
  readonly blobs: string[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  get size(): number {
    return this.objects.size;
  }

  /** Removes all rows of holders. @param column that names them; default: the first of the key */
  async remove(
    table: TableName,
    holders: Iterable<string>,
    column = columnsOf(table).key[0] ?? '',
  ): Promise<void> {
    const nameOf = (holder: string): string => `${column} ${locationOf(table, holder)}`;
    const requested = [...new Set(holders)].filter((one) => !this.#removed.has(nameOf(one)));
    for (const some of partsOf(requested)) {
      const found = await this.#count(table, column, some, 'removed');
      if (found.length === 0) continue;
      if (table === 'record') await this.#takeBlobs(found);
      for (const holder of found) {
        if (table === 'record') this.#writes.delete(holder);
        this.#removed.add(nameOf(holder));
      }
      this.#statements.push(sql`DELETE FROM ${raw(table)} WHERE ${raw(column)} IN ${found}`);
    }
  }

  async removeBelow(prefix: string): Promise<void> {
    await this.remove('record', await this.#store.records.list(prefix));
  }

  async removeShared(names: Iterable<string>): Promise<void> {
    for (const name of names) {
      await this.remove('record', [name, `${name}.json`]);
      await this.removeBelow(`${name}/`);
      for (const column of ['holder', 'subject']) await this.remove('subject', [name], column);
    }
  }

  /** Keeps attempts as numbers and ids of the service, without their subject. */
  async disown(subjects: Iterable<string>): Promise<void> {
    const all = [...subjects];
    for (const some of partsOf(all)) {
      const found = await this.#count('attempt', 'subject', some, 'emptied');
      if (found.length === 0) continue;
      const names = found.map((one) => [one, `erased/${randomBytes(16).toString('hex')}`]);
      this.#statements
        .push(sql`UPDATE attempt SET subject = other.column2, nonce = '', workflow_id = '',
            chunk = CAST(n AS TEXT), answer_by = 0, claimed_at = 0, why = NULL, is_resolved = 1,
            receipt = CASE WHEN ${anyId} IS NULL THEN receipt ELSE 'accepted' END,
            receipt_at = CASE WHEN ${anyId} IS NULL AND receipt IS NULL THEN NULL ELSE 0 END,
            external_id = ${anyId}
          FROM (VALUES ${names}) AS other WHERE attempt.subject = other.column1`);
    }
    await this.remove('resolution', all);
  }

  /** Rewrites a record of JSON, or of JSON lines. */
  async rewrite(key: string, change: Change): Promise<void> {
    const body = this.#removed.has(`key ${key}`) ? null : await this.#store.records.get(key);
    if (body === null) return;
    // A raw body may begin with a byte order mark, which TextDecoder removes.
    const text = new TextDecoder().decode(body);
    const isLines = key.endsWith('.ndjson');
    const before = isLines ? text.split('\n').filter((line) => line !== '') : [text];
    const records = before.map((line) => JSON.parse(line) as unknown);
    const left = records.map((one) => change(one, 'body')).filter((one) => one !== null);
    if (JSON.stringify(left) === JSON.stringify(records)) return;
    if (left.length === 0) return this.remove('record', [key]);
    await this.#takeBlobs([key]);
    await this.#count('record', 'key', [key], 'emptied');
    const written = isLines ? toJsonLines(left) : JSON.stringify(left[0], null, 2);
    this.#writes.set(key, async () => [await this.#store.records.replacement(key, written)]);
  }

  async replaceLarge(key: string, body: () => Promise<Buffer>): Promise<void> {
    const { records } = this.#store;
    const manifest = `${key}.json`;
    await this.removeBelow(`${key}/`);
    await this.#count('record', 'key', [manifest], 'emptied');
    this.#writes.set(manifest, async () => {
      const bytes = await body();
      const folder = `${key}/${randomUUID()}`;
      const part = await records.storeBytes(partKey(folder, 0), bytes);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const object = JSON.stringify({ folder, parts: 1, bytes: bytes.length, sha256 });
      const named = part === null ? [] : [nameBytes(part)];
      return [...named, await records.replacement(manifest, object)];
    });
  }

  /** @param holder null: all holders. @param only rows with one of these values in a column */
  async rewriteRows(
    table: TableName,
    holder: string | null,
    change: Change,
    only?: { column: string; values: Iterable<number> },
  ): Promise<number> {
    const parts = only && partsOf([...only.values]);
    const among = parts?.map((values) => sql`${raw(only?.column ?? '')} IN ${values}`);
    let changed = 0;
    for (const part of among ?? [sql`1 = 1`])
      for await (const rows of this.#pages(table, holder, part))
        for (const row of rows) if (this.#rewriteRow(table, row, change)) changed += 1;
    return changed;
  }

  #pages(table: TableName, holder: string | null, those: Statement): AsyncGenerator<Row[]> {
    const { bodies, key } = columnsOf(table);
    const { mark } = erasableTables[table];
    const [first = '', ...rest] = key;
    const further = holder === null ? key : rest;
    const conditions = [those];
    if (holder !== null) conditions.push(sql`${raw(first)} = ${holder}`);
    if (mark !== undefined) conditions.push(sql`${raw(mark)} = 0`);
    return pagesOf<Row>(perPage, async (last) => {
      // A holder with one row has one page.
      if (last !== undefined && further.length === 0) return [];
      const values = further.map((one) => last?.[camelCase(one)]);
      const after = last ? [sql`(${raw(further.join(', '))}) > ${values}`] : [];
      return this.#store.select(
        table,
        sql`WHERE ${joined([...conditions, ...after], ' AND ')}
          ORDER BY ${raw(key.join(', '))} LIMIT ${perPage}`,
        raw([...key, ...bodies].join(', ')),
      );
    });
  }

  #rewriteRow(table: TableName, row: Row, change: Change): boolean {
    const { bodies, key } = columnsOf(table);
    const { mark } = erasableTables[table];
    const its = key.map((column) => row[camelCase(column)]);
    const name = rowName(table, ...its);
    const holder = String(its[0]);
    if (this.#removed.has(`${key[0]} ${locationOf(table, holder)}`)) return false;
    if (this.#writes.has(name)) return false;
    const left = bodies
      .filter((column) => row[column] !== null)
      .map((column): [string, unknown] => [column, change(row[column], column)])
      .filter(([column, after]) => JSON.stringify(after) !== JSON.stringify(row[column]));
    if (left.length === 0) return false;
    const isGone = left.some(([, after]) => after === null);
    this.#add(table, holder, isGone ? 'removed' : 'emptied', 1);
    const location = sql`WHERE (${raw(key.join(', '))}) = ${its}`;
    const sets = left.map(([column, body]) => sql`${raw(column)} = ${new Sealed(name, body)}`);
    if (mark !== undefined) sets.push(sql`${raw(mark)} = 1`);
    const one = isGone
      ? sql`DELETE FROM ${raw(table)} ${location}`
      : sql`UPDATE ${raw(table)} SET ${joined(sets, ', ')} ${location}`;
    this.#writes.set(name, async () => [await this.#store.sealedIn(one)]);
    return true;
  }

  async statements(): Promise<Statement[]> {
    const all = [...this.#statements];
    for (const write of this.#writes.values()) all.push(...(await write()));
    return all;
  }

  async #count(
    table: TableName,
    column: string,
    values: readonly string[],
    how: 'removed' | 'emptied',
  ): Promise<string[]> {
    const found = await this.#store.read<{ holder: string; count: number }>(sql`
      SELECT ${raw(column)} AS holder, count(*) AS count FROM ${raw(table)}
      WHERE ${raw(column)} IN ${values} GROUP BY ${raw(column)}`);
    for (const { holder, count } of found) this.#add(table, holder, how, count);
    return found.map(({ holder }) => holder);
  }

  #add(table: TableName, holder: string, how: 'removed' | 'emptied', count: number): void {
    const location = locationOf(table, holder);
    const none = { kind: kindOf(table, holder) ?? 'other', removed: 0, emptied: 0 };
    const object = this.objects.get(location) ?? none;
    object[how] += count;
    this.objects.set(location, object);
  }

  async #takeBlobs(keys: readonly string[]): Promise<void> {
    const rows = await this.#store.read<{ blob: string }>(
      sql`SELECT blob FROM record WHERE key IN ${keys} AND blob IS NOT NULL`,
    );
    this.blobs.push(...rows.map(({ blob }) => blob));
  }
}

export function byKind(objects: Iterable<ErasedObject>): ErasedObject[] {
  const sums = new Map<string, ErasedObject>();
  for (const { kind, removed, emptied } of objects) {
    const sum = sums.get(kind) ?? { kind, removed: 0, emptied: 0 };
    sums.set(kind, { kind, removed: sum.removed + removed, emptied: sum.emptied + emptied });
  }
  return [...sums.values()];
}

/** Id of an attempt: given by the service, or adopted by a person. */
const anyId = sql`coalesce(external_id, (SELECT max(said.external_id) FROM resolution AS said
  WHERE said.subject = attempt.subject AND said.n = attempt.n))`;

function locationOf(table: TableName, holder: string): string {
  return table === 'record' ? holder : `${table}/${holder}`;
}
