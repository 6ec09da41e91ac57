/** Searches as the service shows them (section Trace search). Absent means no value. */

import { draw } from '../chance';
import type { JsonObject } from '../engine/answer';
import { coverageAt, searchStatusAt, type Search } from './search';
import type { TraceScenario } from './trace-scenario';

const iso = (at: number) => new Date(at).toISOString();

export interface TraceView {
  seed: number;
  now: number;
  scenario: Pick<TraceScenario, 'pollAfterSeconds'>;
}

export function searchOnWire(search: Search, { now, scenario, seed }: TraceView): JsonObject {
  const { createdAt, ending, endsAt, script, startsAt } = search;
  const status = searchStatusAt(search, now);
  const coverage = coverageAt(search, seed, now);
  const completed = status === 'completed';
  const waits = now < endsAt && scenario.pollAfterSeconds !== null;
  const moments = [createdAt, startsAt, endsAt].filter((at) => at <= now);
  return {
    id: search.id,
    object: 'rastro_search',
    status,
    type: search.type,
    target: search.target,
    strategy: search.strategy,
    partial: completed && Object.values(coverage).some((source) => source['status'] === 'failed'),
    coverage,
    billing: completed
      ? { status: 'charged', amount: search.strategy === 'all' ? 10 : 4, unit: 'tokens' }
      : { status: 'not_charged', amount: 0, unit: 'tokens' },
    artifacts: completed ? (script?.artifacts ?? []) : [],
    ...(completed && ending !== 'no_result' ? { result: resultOf(search, coverage, seed) } : {}),
    ...(status === 'failed' ? { failure: failureOf(search) } : {}),
    ...(waits ? { poll_after_seconds: scenario.pollAfterSeconds } : {}),
    created_at: iso(createdAt),
    updated_at: iso(Math.max(createdAt, ...moments)),
    ...(now >= startsAt ? { started_at: iso(startsAt) } : {}),
    ...(now >= endsAt ? { completed_at: iso(endsAt) } : {}),
  };
}

function resultOf(search: Search, coverage: Record<string, JsonObject>, seed: number): JsonObject {
  const hits = Object.entries(coverage).flatMap(([source, { records }]) =>
    Array.from({ length: Number(records ?? 0) }, (_, index) => ({
      fonte: source,
      identificador: `achado-${Math.floor(draw(seed, search.id, source, index) * 1e9)}`,
      confianca: Math.round(draw(seed, 'confidence', search.id, source, index) * 100) / 100,
    })),
  );
  return { total: hits.length, ocorrencias: hits, ...search.script?.result };
}

function failureOf({ ending, script }: Search): JsonObject {
  const retryable = ending === 'failure_retryable';
  return {
    code: retryable ? 'fontes_indisponiveis' : 'busca_falhou',
    message: 'A busca falhou (simulada).',
    retryable,
    ...(retryable ? { retry_after_seconds: 1 } : {}),
    ...script?.failure,
  };
}
