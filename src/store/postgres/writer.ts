import type { ClientBase, Pool, PoolClient } from 'pg';
import { EventChain, type ChainKey } from '../audit/chain';
import { commitsTogether, runUnits, type Unit } from '../database';
import { GroupQueue } from '../group-queue';
import type { Statement, StatementResult } from '../statement';
import { StoreError } from '../store-error';
import { mayGoAgain, postgresErrorOf } from './errors';
import { queryOf, resultOf } from './query';

const mostTries = 8;

/** One writing connection, with its own audit chain. */
export class PostgresWriter extends GroupQueue<Unit, StatementResult[]> {
  readonly #pool: Pool;
  readonly #chain: EventChain;

  /** @param pool of one connection */
  constructor(pool: Pool, key: ChainKey) {
    super({ ...commitsTogether, run: (group) => this.#commit(group) });
    this.#pool = pool;
    this.#chain = new EventChain(key);
  }

  async close(): Promise<void> {
    await this.drain();
    await this.#pool.end();
  }

  async #commit(group: readonly Unit[]): Promise<(StatementResult[] | StoreError)[]> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#tryOnce(group);
      } catch (error) {
        if (!mayGoAgain(error) || tries === mostTries)
          throw postgresErrorOf(error, 'writing to the store');
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * tries));
      }
    }
  }

  /** @returns an error for each when it belongs to none alone */
  async #tryOnce(group: readonly Unit[]): Promise<(StatementResult[] | StoreError)[]> {
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      const failure = postgresErrorOf(error, 'reaching the store');
      if (failure.code !== 'gone') throw failure;
      return group.map(() => failure);
    }
    let isCommitting = false;
    try {
      await client.query('BEGIN');
      const locked = new Set<string>();
      const results = await runUnits(group, this.#chain, async (one) => {
        if (one.lock !== undefined) await lock(client, one.lock, locked);
        return resultOf(await client.query<object>(queryOf(one)));
      });
      isCommitting = true;
      await client.query('COMMIT');
      client.release();
      return results;
    } catch (error) {
      this.#chain.end();
      const failure = postgresErrorOf(error, 'writing to the store');
      if (failure.code === 'gone') {
        client.release(true);
        // Lost while committing: the result is unknown.
        const code = isCommitting ? 'other' : 'gone';
        return group.map(() => new StoreError(code, failure.message));
      }
      const isBack = await client.query('ROLLBACK').then(
        () => true,
        () => false,
      );
      client.release(!isBack);
      throw error;
    }
  }
}

/** Until the end of the transaction; once per group. */
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
