import { groupBy } from '../domain/core/group-by';
import { rateWords } from '../domain/core/service/rates';
import type { Store } from '../store/store';
import { ok, type Finding } from './finding';

/** Rates of the services, now or within the last day. */
export async function examineRates(store: Store, now = Date.now()): Promise<Finding[]> {
  const shares = groupBy(await store.rateShares.all(), ({ service }) => service);
  return [...shares].map(([service, all]) =>
    ok(
      `rate ${service}`,
      rateWords(all, now, (en) => en),
    ),
  );
}
