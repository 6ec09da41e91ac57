import type { NotedRate } from '../../domain/core/service/rates';
import { Repository } from '../sealed/sealed-database';
import { insertInto, replacing } from '../sealed/table-rows';
import { sql } from '../statement';

/** A worker's share of a service's rate, while it renews it. */
export interface RateShare extends NotedRate {
  service: string;
  worker: string;
  /** The rate that was refused; null: none. */
  ceiling: number | null;
}

/** Older measurements are ignored. */
const foundForMs = 24 * 3_600_000;
const replaced = replacing('rate_share', 'until', 'per_second', 'ceiling', 'reason', 'refusals');

/** Rates of the services, shared by the workers: a lease for each, and the last measured rate. */
export class RateShareRepository extends Repository {
  /** Expired shares go: those who renew theirs have taken them over. @returns the shares of all workers afterwards */
  async renew(shares: readonly RateShare[], now: number): Promise<RateShare[]> {
    const services = shares.map(({ service }) => service);
    await this.store.commit([
      sql`DELETE FROM rate_share WHERE service IN ${services} AND until <= ${now}`,
      insertInto('rate_share', shares, replaced),
    ]);
    return this.all(now);
  }

  /** The next worker goes on from them. */
  async giveBack(shares: readonly RateShare[]): Promise<void> {
    await this.store.commit([insertInto('rate_share', shares, replaced)]);
  }

  all(now: number): Promise<RateShare[]> {
    const since = now - foundForMs;
    return this.store.select('rate_share', sql`WHERE until > ${since} ORDER BY service, worker`);
  }
}
