import { randomUUID } from 'node:crypto';
import type { FoundRate, Rate } from '../apis/http/rate';
import type { RateShare } from '../store/core/rate-shares';
import type { Store } from '../store/store';

const leaseMs = 10_000;
const renewMs = 3_000;

export interface SharedRate {
  /** Of the service, and of the token if it has several. */
  name: string;
  rate: Rate;
}

/**
 * Shares the rates of the services among their workers: each uses its part of the measured rate, and very little
 * without a lease.
 *
 * @returns when the first leases are held; they are renewed until they are given back, when there are no more calls
 */
export async function holdRateLeases(
  store: Store,
  rates: readonly SharedRate[],
  { now = Date.now, warn }: LeaseOptions,
): Promise<{ giveBack: () => Promise<void> }> {
  if (rates.length === 0) return { giveBack: () => Promise.resolve() };
  const worker = randomUUID();
  let heldUntil = 0;
  let isAway = false;
  const sharesUntil = (until: number): RateShare[] =>
    rates.map(({ name, rate }) => {
      const { perSecond, ceiling } = rate.found;
      const { reason, refusals } = rate;
      return { service: name, worker, until, perSecond, ceiling, reason, refusals };
    });
  const renew = async (): Promise<void> => {
    const at = now();
    const all = await store.rateShares.renew(sharesUntil(at + leaseMs), at);
    heldUntil = at + leaseMs;
    for (const { name, rate } of rates) {
      const live = all.filter(({ service, until }) => service === name && until > at).length;
      rate.share(live);
    }
  };
  const keep = async (): Promise<void> => {
    try {
      await renew();
      isAway = false;
    } catch (error) {
      if (now() < heldUntil || isAway) return;
      isAway = true;
      warn('the share of the rate could not be renewed: calls are few until it is', {
        reason: error instanceof Error ? error.name : 'unknown',
      });
      for (const { rate } of rates) rate.share(null);
    }
  };
  const before = await store.rateShares.all(now());
  for (const { name, rate } of rates) {
    const found = foundBefore(
      before.filter(({ service }) => service === name),
      now(),
    );
    if (found !== null) rate.begin(found);
    rate.share(null);
  }
  await renew();
  let renewing: Promise<void> | null = null;
  const timer = setInterval(() => {
    renewing ??= keep().finally(() => (renewing = null));
  }, renewMs).unref();
  return {
    giveBack: async () => {
      clearInterval(timer);
      await renewing;
      await store.rateShares.giveBack(sharesUntil(now()));
    },
  };
}

export interface LeaseOptions {
  now?: () => number;
  warn: (message: string, about: Record<string, string>) => void;
}

/** Part of one more worker in the last measured rate of all. */
function foundBefore(shares: readonly RateShare[], now: number): FoundRate | null {
  const last = Math.max(...shares.map(({ until }) => until));
  const together = shares.filter(({ until }) => until > last - leaseMs);
  if (together.length === 0) return null;
  const sharers = together.filter(({ until }) => until > now).length + 1;
  const sum = (of: (share: RateShare) => number): number =>
    together.reduce((total, share) => total + of(share), 0);
  const refused = together.some(({ ceiling }) => ceiling !== null);
  return {
    perSecond: sum(({ perSecond }) => perSecond) / sharers,
    ceiling: refused ? sum(({ ceiling, perSecond }) => ceiling ?? perSecond) / sharers : null,
  };
}
