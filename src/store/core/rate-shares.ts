import type { NotedRate } from '../../domain/core/service/rates';
import { Repository } from '../sealed/sealed-database';
import { insertInto, replacing, sql } from '../statement';

/** A worker's share of a service's rate, while it renews it. */
export interface RateShare extends NotedRate {
  service: string;
  worker: string;
  /** The rate that was refused; null: none. */
  ceiling: number | null;
}

const columns = ['service', 'worker', 'until', 'per_second', 'ceiling', 'reason', 'refusals'];
const key = ['service', 'worker'];
/** Older measurements are ignored. */
const foundForMs = 24 * 3_600_000;

/** Rates of the services, shared by the workers: a lease for each, and the last measured rate. */
export class RateShareRepository extends Repository {
  /** @returns the shares of all workers afterwards */
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
    await this.store.commit([
      sql`DELETE FROM rate_share WHERE until < ${now - foundForMs}`,
      insertInto('rate_share', columns, values, replacing(key, columns.slice(key.length))),
    ]);
    return this.all();
  }

  all(): Promise<RateShare[]> {
    return this.store
      .read<RateShare>(sql`SELECT service, worker, until, per_second AS "perSecond", ceiling, reason, refusals
         FROM rate_share ORDER BY service, worker`);
  }
}
