import { groupBy } from '../domain/core/group-by';
import type { RateShare } from '../store/core/rate-shares';
import type { Store } from '../store/store';
import { ok, type Finding } from './finding';

const reasons: Readonly<Record<string, string>> = {
  growing: 'nothing was refused yet',
  refused: 'below what was refused',
  capped: 'as much as the settings allow',
  no_lease: 'without a lease',
};

/** How fast the services are asked, or were within the last day. */
export async function examineRates(store: Store, now = Date.now()): Promise<Finding[]> {
  const shares = groupBy(await store.rateShares.all(), ({ service }) => service);
  return [...shares].map(([service, all]) => rateFinding(service, all, now));
}

export function rateFinding(service: string, shares: readonly RateShare[], now: number): Finding {
  const live = shares.filter(({ until }) => until > now);
  const told = live.length > 0 ? live : shares;
  const sum = (of: (share: RateShare) => number): number =>
    told.reduce((total, share) => total + of(share), 0);
  const why = [...new Set(told.map(({ reason }) => reasons[reason] ?? reason))].join(', ');
  const refused = sum(({ refusals }) => refusals);
  return ok(
    `rate ${service}`,
    [
      `${sum(({ perSecond }) => perSecond).toFixed(1)} calls/s (${why})`,
      live.length > 0 ? `${live.length} worker(s) share it` : 'no worker uses it now',
      `${refused} answer(s) 429`,
    ].join('; '),
  );
}
