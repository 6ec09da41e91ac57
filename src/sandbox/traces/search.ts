/** One search, and how the service shows it (section Trace search). Absent means no value. */

import { draw, pick } from '../core/chance';
import { billingOf, failureOf, instantsOf, latest, pollHint, statusOf } from '../core/work';
import type { Work } from '../core/work';
import type { JsonObject } from '../http/answer';
import { traceEndings, type strategyWords, type traceTypeWords } from './trace-scenario';
import type { TargetScript, TraceEnding, TraceStatus } from './trace-scenario';

type TraceType = (typeof traceTypeWords)[number];

export interface Search extends Work<TraceEnding> {
  id: string;
  target: string;
  type: TraceType;
  strategy: (typeof strategyWords)[number];
  script: TargetScript | undefined;
}

/** How a type is derived is not shown: this is our reading. */
export function typeOf(target: string): TraceType {
  const text = target.trim();
  if (/^0x[0-9a-f]{40}$/i.test(text) || /^(bc1|[13])[0-9a-z]{25,60}$/i.test(text)) return 'wallet';
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return 'email';
  return /^\+?[\d\s().-]{8,20}$/.test(text) ? 'phone' : 'username';
}

export const searchStatusAt = (search: Search, now: number) =>
  statusOf<TraceEnding, TraceStatus>(search, now, ['queued', 'running'], traceEndings);

const sourcesOf: Record<TraceType, [string, ...string[]]> = {
  email: ['contas_publicas', 'vazamentos', 'dominios'],
  phone: ['operadoras', 'mensageiros', 'cadastros'],
  username: ['redes_sociais', 'foruns', 'repositorios'],
  wallet: ['blockchain', 'corretoras', 'listas_de_sancoes'],
};

/** What each source came to: its status and how many records it gave. */
function coverageAt(search: Search, seed: number, now: number): Record<string, JsonObject> {
  const sources = search.script?.sources ?? sourcesOf[search.type];
  const missing = missingSourcesOf(search, seed, sources);
  const span = search.endsAt - search.startsAt;
  let matched = false;
  const shown = sources.map((source, index) => {
    const doneAt = search.startsAt + (span * (index + 1)) / sources.length;
    if (now < search.startsAt) return [source, { status: 'pending' }];
    if (!(now >= doneAt)) return [source, { status: 'running' }];
    if (matched && search.strategy === 'first_match') return [source, { status: 'skipped' }];
    if (missing.includes(source)) return [source, { status: 'failed', reason: 'timeout' }];
    const records = Math.floor(draw(seed, 'records', search.id, source) * 4);
    matched ||= records > 0;
    return [source, { status: 'completed', records }];
  });
  return Object.fromEntries(shown) as Record<string, JsonObject>;
}

function missingSourcesOf(search: Search, seed: number, sources: readonly string[]) {
  const { ending, script } = search;
  const named = script?.missingSources ?? [];
  if (named.length > 0 || ending !== 'partial') return named;
  const [first = '', ...more] = sources;
  return [pick([first, ...more], seed, 'missing', search.id)];
}

const failureWords = {
  codes: ['fontes_indisponiveis', 'busca_falhou'],
  message: 'A busca falhou (simulada).',
} as const;

export function searchOnWire(
  search: Search,
  seed: number,
  now: number,
  pollAfterSeconds: number | null,
): JsonObject {
  const { createdAt, ending, endsAt, script, startsAt, strategy } = search;
  const status = searchStatusAt(search, now);
  const coverage = coverageAt(search, seed, now);
  const completed = status === 'completed';
  return {
    id: search.id,
    object: 'rastro_search',
    status,
    type: search.type,
    target: search.target,
    strategy,
    partial: completed && Object.values(coverage).some((source) => source['status'] === 'failed'),
    coverage,
    billing: billingOf(completed, strategy === 'all' ? 10 : 4),
    artifacts: completed ? (script?.artifacts ?? []) : [],
    ...(completed && ending !== 'no_result' ? { result: resultOf(search, coverage, seed) } : {}),
    ...(status === 'failed' ? { failure: failureOf(ending, failureWords, script?.failure) } : {}),
    ...pollHint(pollAfterSeconds, now >= endsAt),
    ...instantsOf(search, now),
    updated_at: latest(now, createdAt, startsAt, endsAt),
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
