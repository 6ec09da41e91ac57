import type { Say } from '../job';

/** A budget that allows no more, in requests. */
export interface ReachedBudget {
  made: number;
  allowed: number;
  /** What is left to do takes at most so many. */
  rest: number;
}

export function reachedWords({ allowed, made, rest }: ReachedBudget, say: Say): string {
  return say(
    `${made} of ${allowed} requests made; the rest takes at most ${rest}`,
    `${made} de ${allowed} pedidos feitos; o resto requer no máximo ${rest}`,
  );
}
