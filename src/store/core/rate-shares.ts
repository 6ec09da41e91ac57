import type { NotedRate } from '../../domain/core/service/rates';
import type { SealedDatabase } from '../sealed/sealed-database';
import { insertInto, replacing, statement } from '../statement';

/** What a worker sends to a service, as long as it renews it. */
export interface RateShare extends NotedRate {
  service: string;
  worker: string;
  /** The rate that was refused; null: none was. */
  ceiling: number | null;
}

const columns = ['service', 'worker', 'until', 'per_second', 'ceiling', 'reason', 'refusals'];
const key = ['service', 'worker'];
/** What was found long ago is asked for anew. */
const foundForMs = 24 * 3_600_000;

/** The rates of the services, as the workers share them: a lease for each, and what was found last. */
export class RateShareRepository {
  readonly #store: SealedDatabase;

  constructor(store: SealedDatabase) {
    this.#store = store;
  }

  /** @returns what stands afterwards, of everybody */
  async renew(shares: readonly RateShare[], now: number): Promise<RateShare[]> {
    const values = shares.map((share) => [
      share.service,
      share.worker,
      share.until,
      share.perSecond,
      share.ceiling,
      share.reason,
      share.refusals,
    ]);
    await this.#store.commit([
      statement('DELETE FROM rate_share WHERE until < ?', [now - foundForMs]),
      insertInto('rate_share', columns, values, replacing(key, columns.slice(key.length))),
    ]);
    return this.all();
  }

  all(): Promise<RateShare[]> {
    return this.#store.read<RateShare>(
      statement(
        `SELECT service, worker, until, per_second AS "perSecond", ceiling, reason, refusals
         FROM rate_share ORDER BY service, worker`,
      ),
    );
  }
}
