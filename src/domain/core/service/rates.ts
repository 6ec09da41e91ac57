import type { Say, Words } from '../../job';

/** Rate at which a worker calls a service, as last reported. */
export interface NotedRate {
  /** Epoch milliseconds: without a renewal by then, it has expired. */
  until: number;
  perSecond: number;
  reason: string;
  /** 429 responses since the worker started. */
  refusals: number;
}

const reasons: Readonly<Record<string, Words>> = {
  growing: ['nothing was refused yet', 'nada foi recusado ainda'],
  refused: ['below what was refused', 'abaixo do que foi recusado'],
  capped: ['as much as the settings allow', 'o que a configuração permite'],
  no_lease: ['without a lease', 'sem cota própria'],
};

/** Rate of all running workers, or else the last one: its reason, and what was refused. */
export function rateWords(rates: readonly NotedRate[], now: number, say: Say): string {
  const live = rates.filter(({ until }) => until > now);
  const reported = live.length > 0 ? live : rates;
  const sum = (of: (rate: NotedRate) => number): number =>
    reported.reduce((total, rate) => total + of(rate), 0);
  const why = [
    ...new Set(reported.map(({ reason }) => say(...(reasons[reason] ?? [reason, reason])))),
  ].join(', ');
  const refusals = sum((rate) => rate.refusals);
  return [
    `${sum(({ perSecond }) => perSecond).toFixed(1)} ${say('calls', 'chamadas')}/s (${why})`,
    live.length > 0
      ? say(`${live.length} worker(s) share it`, `workers: ${live.length}`)
      : say('no worker uses it now', 'nenhum worker a usa agora'),
    say(`${refusals} answer(s) 429`, `respostas 429: ${refusals}`),
  ].join('; ');
}
