/** How fast a worker calls a service, as it noted last. */
export interface NotedRate {
  /** Epoch milliseconds: not noted anew by then, it is over. */
  until: number;
  perSecond: number;
  reason: string;
  /** Answers "too many requests" since the worker started. */
  refusals: number;
}

const reasons: Readonly<Record<string, string>> = {
  growing: 'nothing was refused yet',
  refused: 'below what was refused',
  capped: 'as much as the settings allow',
  no_lease: 'without a lease',
};

/** Of all workers together, where any is at work; else as it was last: why it is so, and what was refused. */
export function rateWords(rates: readonly NotedRate[], now: number): string {
  const live = rates.filter(({ until }) => until > now);
  const told = live.length > 0 ? live : rates;
  const sum = (of: (rate: NotedRate) => number): number =>
    told.reduce((total, rate) => total + of(rate), 0);
  const why = [...new Set(told.map(({ reason }) => reasons[reason] ?? reason))].join(', ');
  return [
    `${sum(({ perSecond }) => perSecond).toFixed(1)} calls/s (${why})`,
    live.length > 0 ? `${live.length} worker(s) share it` : 'no worker uses it now',
    `${sum(({ refusals }) => refusals)} answer(s) 429`,
  ].join('; ');
}
