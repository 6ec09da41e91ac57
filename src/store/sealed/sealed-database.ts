import type { AuditEntry } from '../../domain/core/audit';
import { eventOf } from '../audit/event';
import { numbered } from '../audit/numbers';
import type { Database } from '../database';
import { partsOf, raw, sql, type Statement, type StatementResult } from '../statement';
import { StoreError, type StoreErrorCode } from '../store-error';
import { Sealed, noSeal, type Seal } from './seal';
import { decoded, inCamelCase } from './table-rows';

/** Notified of commits, and of a disk or server that fails and recovers. Throws nothing. */
export interface StoreObserver {
  committed(entries: readonly AuditEntry[]): void;
  away(code: StoreErrorCode): void;
  back(): void;
}

/** Codes that a person can fix; others are answers, or damage. */
const awayCodes: readonly StoreErrorCode[] = ['busy', 'full', 'gone', 'other', 'read-only'];

/** The database for its repositories: seals columns and blobs. */
export class SealedDatabase implements Seal {
  /** Unique to an installation. Suffix of the task queue names, with the epoch. */
  readonly id: string;
  /** From 1; every restore starts a new one. */
  readonly epoch: number;
  protected readonly database: Database;
  readonly #seal: Seal;
  #observer: StoreObserver | null = null;
  #isAway = false;

  constructor(database: Database, seal: Seal = noSeal) {
    this.id = database.id;
    this.epoch = database.epoch;
    this.database = database;
    this.#seal = seal;
  }

  observe(observer: StoreObserver): void {
    this.#observer = observer;
  }

  /** Rows of one SELECT, with columns in camel case; sees all earlier commits. */
  async read<T>(statement: Statement): Promise<T[]> {
    return inCamelCase(await this.#noted(this.database.read(statement))) as T[];
  }

  /** Decoded rows of a table. @param rest condition and order. @param columns with a body, also the key */
  async select<T>(table: string, rest: Statement, columns = raw('*')): Promise<T[]> {
    const rows = await this.read<object>(sql`SELECT ${columns} FROM ${raw(table)} ${rest}`);
    return decoded(this, table, rows) as T[];
  }

  /** As `read`, for a list of any length. @param select for some of it */
  readAmong<T, V = string>(values: Iterable<V>, select: (some: V[]) => Statement): Promise<T[]> {
    return this.among(values, (some) => this.read<T>(select(some)));
  }

  async among<T, V>(values: Iterable<V>, find: (some: V[]) => Promise<T[]>): Promise<T[]> {
    const found: T[] = [];
    for (const some of partsOf([...values])) found.push(...(await find(some)));
    return found;
  }

  /** As `Database.commit`. @param entries its audit entries */
  async commit(
    statements: readonly Statement[],
    entries: readonly AuditEntry[] = [],
  ): Promise<StatementResult[]> {
    const texts = entries.length === 0 ? [] : await numbered(this, entries);
    const events = await Promise.all(texts.map((text) => eventOf(this, text)));
    const sealed = await Promise.all(statements.map((one) => this.sealedIn(one)));
    const results = await this.#noted(this.database.commit(sealed, events));
    if (entries.length > 0) this.#observer?.committed(entries);
    return results.map(({ changes, rows }) => ({ changes, rows: inCamelCase(rows) }));
  }

  /** One statement with its audit entries; false when it would change nothing, and nothing is done. */
  async changes(
    one: Statement,
    entries: readonly AuditEntry[] = [],
    beside: readonly Statement[] = [],
  ): Promise<boolean> {
    try {
      await this.commit([{ ...one, mustChange: true }, ...beside], entries);
      return true;
    } catch (error) {
      if (error instanceof StoreError && error.code === 'unchanged') return false;
      throw error;
    }
  }

  seal(name: string, body: Uint8Array | string): Promise<Uint8Array | string> {
    return this.#seal.seal(name, body);
  }

  open(name: string, body: Uint8Array): Buffer {
    return this.#seal.open(name, body);
  }

  async #noted<T>(pending: Promise<T>): Promise<T> {
    try {
      const answer = await pending;
      if (this.#isAway) {
        this.#isAway = false;
        this.#observer?.back();
      }
      return answer;
    } catch (error) {
      if (error instanceof StoreError && awayCodes.includes(error.code) && !this.#isAway) {
        this.#isAway = true;
        this.#observer?.away(error.code);
      }
      throw error;
    }
  }

  /** With its sealed parameters, as `commit` does. */
  async sealedIn(one: Statement): Promise<Statement> {
    if (!one.parameters.some((value) => value instanceof Sealed)) return one;
    const parameters = one.parameters.map((value) =>
      value instanceof Sealed
        ? this.seal(value.name, JSON.stringify(value.value)).then((body) => Buffer.from(body))
        : value,
    );
    return { ...one, parameters: await Promise.all(parameters) };
  }
}

export class Repository<S extends SealedDatabase = SealedDatabase> {
  protected readonly store: S;

  constructor(store: S) {
    this.store = store;
  }
}
