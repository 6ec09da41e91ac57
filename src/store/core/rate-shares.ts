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

/** Rates of the services, shared by the workers: a lease for each, and the last measured rate. */
export class RateShareRepository extends Repository {
  /** @returns the shares of all workers afterwards */
  async renew(shares: readonly RateShare[], now: number): Promise<RateShare[]> {
    const replaced = replacing(
      'rate_share',
      'until',
      'per_second',
      'ceiling',
      'reason',
      'refusals',
    );
    await this.store.commit([
      sql`DELETE FROM rate_share WHERE until < ${now - foundForMs}`,
      insertInto('rate_share', shares, replaced),
    ]);
    return this.all();
  }

  all(): Promise<RateShare[]> {
    return this.store.select('rate_share', sql`ORDER BY service, worker`);
  }
}
