import type { ClientBase, Pool, PoolClient } from 'pg';
import { EventChain, type ChainKey, type NewEvent } from '../audit/chain';
import type { Statement, StatementResult } from '../statement';
import { StoreError } from '../store-error';
import { mayGoAgain, postgresErrorOf } from './errors';
import { queryOf } from './query';

interface Unit {
  statements: readonly Statement[];
  events: readonly NewEvent[];
}

interface Asked extends Unit {
  settle: (results: StatementResult[]) => void;
  fail: (error: StoreError) => void;
}

/** More in one transaction holds others up. */
const mostStatements = 200;
const mostTries = 8;

/** Each member's end, or nothing was done of any. */
type Ends = { results: StatementResult[][] } | { error: StoreError; isKnown: boolean };

/**
 * One connection that writes: what asks while a commit is under way commits together in the next one. It has a
 * chain of the audit trail of its own.
 */
export class PostgresWriter {
  readonly #pool: Pool;
  readonly #chain: EventChain;
  readonly #queue: Asked[] = [];
  #isBusy = false;

  /** @param pool of one connection */
  constructor(pool: Pool, key: ChainKey) {
    this.#pool = pool;
    this.#chain = new EventChain(key);
  }

  /** Requests that wait. */
  get backlog(): number {
    return this.#queue.length + (this.#isBusy ? 1 : 0);
  }

  /** @throws StoreError */
  ask(unit: Unit): Promise<StatementResult[]> {
    return new Promise((settle, fail) => {
      this.#queue.push({ ...unit, settle, fail });
      if (!this.#isBusy) void this.#work();
    });
  }

  /** What was asked for before is done first. */
  async close(): Promise<void> {
    while (this.backlog > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await this.#pool.end();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    // What is asked for in the same turn of the event loop goes together.
    await new Promise(setImmediate);
    while (this.#queue.length > 0) {
      const group = this.#queue.splice(0, this.#take());
      if (await this.#areDone(group)) continue;
      for (const asked of group) await this.#areDone([asked]);
    }
    this.#isBusy = false;
  }

  #take(): number {
    let statements = 0;
    const tooMany = this.#queue.findIndex((asked) => {
      statements += asked.statements.length + asked.events.length;
      return statements > mostStatements;
    });
    return tooMany === -1 ? this.#queue.length : Math.max(1, tooMany);
  }

  /** @returns false when nothing was done, and each is to be done alone */
  async #areDone(group: readonly Asked[]): Promise<boolean> {
    const ends = await this.#commit(group);
    if ('results' in ends) {
      for (const [at, asked] of group.entries()) asked.settle(ends.results[at] ?? []);
      return true;
    }
    const isTheirs = ends.isKnown && ends.error.code !== 'gone';
    if (group.length > 1 && isTheirs) return false;
    for (const asked of group) asked.fail(ends.error);
    return true;
  }

  async #commit(group: readonly Unit[]): Promise<Ends> {
    for (let tries = 1; ; tries += 1) {
      const ends = await this.#tryOnce(group);
      if (!('again' in ends)) return ends;
      if (tries === mostTries) return { error: ends.again, isKnown: true };
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * tries));
    }
  }

  async #tryOnce(group: readonly Unit[]): Promise<Ends | { again: StoreError }> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      return { error: postgresErrorOf(error, 'reaching the store'), isKnown: true };
    }
    let isCommitting = false;
    try {
      await client.query('BEGIN');
      const results: StatementResult[][] = [];
      const locked = new Set<string>();
      for (const unit of group) results.push(await this.#run(client, unit, locked));
      isCommitting = true;
      await client.query('COMMIT');
      client.release();
      return { results };
    } catch (error) {
      this.#chain.end();
      const failure = postgresErrorOf(error, 'writing to the store');
      if (failure.code === 'gone') {
        client.release(true);
        // The connection was cut while it committed: nobody knows whether it has.
        if (!isCommitting) return { error: failure, isKnown: true };
        return { error: new StoreError('other', failure.message), isKnown: false };
      }
      const isBack = await client.query('ROLLBACK').then(
        () => true,
        () => false,
      );
      client.release(!isBack);
      return mayGoAgain(error) ? { again: failure } : { error: failure, isKnown: true };
    }
  }

  /** @param locked what the transaction has locked so far */
  async #run(
    client: ClientBase,
    { statements, events }: Unit,
    locked: Set<string>,
  ): Promise<StatementResult[]> {
    const results: StatementResult[] = [];
    for (const one of statements) {
      if (one.lock !== undefined) await lock(client, one.lock, locked);
      const { rows, rowCount } = await client.query<object>(queryOf(one));
      const changes = rowCount ?? 0;
      if (one.mustChange && changes === 0) {
        throw new StoreError('unchanged', 'nothing is there that it could change');
      }
      results.push({ rows, changes });
    }
    for (const event of events) {
      const link = this.#chain.next(event);
      if ((await client.query(queryOf(link.statement))).rowCount === 1) link.written();
    }
    return results;
  }
}

/** Until the end of the transaction; once is enough, however many of its group ask for it. */
async function lock(
  client: ClientBase,
  { name, how }: NonNullable<Statement['lock']>,
  locked: Set<string>,
): Promise<void> {
  const key = `${how} ${name}`;
  if (locked.has(key)) return;
  const call = how === 'alone' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  const sql = `SELECT ${call}(hashtextextended(?, 0))`;
  await client.query(queryOf({ sql, parameters: [name] }));
  locked.add(key);
}
