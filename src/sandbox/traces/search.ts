/** One search, and how the service shows it (section Trace search). Absent means no value. */

import { draw, pick } from '../core/chance';
import { failureOf, statusOf, type Work } from '../core/work';
import { iso, type JsonObject } from '../http/answer';
import type {
  strategyWords,
  TargetScript,
  TraceEnding,
  traceStatusWords,
  traceTypeWords,
} from './trace-scenario';

type TraceType = (typeof traceTypeWords)[number];
type TraceStatus = (typeof traceStatusWords)[number];

export interface Search extends Work<TraceEnding> {
  id: string;
  target: string;
  type: TraceType;
  strategy: (typeof strategyWords)[number];
  script: TargetScript | undefined;
}

const settledAs: Record<TraceEnding, TraceStatus> = {
  completed: 'completed',
  partial: 'completed',
  no_result: 'completed',
  failed: 'failed',
  failure_retryable: 'failed',
  failure_permanent: 'failed',
  cancelled: 'cancelled',
  never_settles: 'running',
};

/** How a type is derived is not shown: this is our reading. */
export function typeOf(target: string): TraceType {
  const text = target.trim();
  if (/^0x[0-9a-f]{40}$/i.test(text) || /^(bc1|[13])[0-9a-z]{25,60}$/i.test(text)) return 'wallet';
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return 'email';
  return /^\+?[\d\s().-]{8,20}$/.test(text) ? 'phone' : 'username';
}

export function searchStatusAt(search: Search, now: number): TraceStatus {
  return statusOf<TraceEnding, TraceStatus>(search, now, ['queued', 'running'], settledAs);
}

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
  const { createdAt, ending, endsAt, script, startsAt } = search;
  const status = searchStatusAt(search, now);
  const coverage = coverageAt(search, seed, now);
  const completed = status === 'completed';
  const waits = now < endsAt && pollAfterSeconds !== null;
  const moments = [startsAt, endsAt].filter((at) => at <= now);
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
    ...(status === 'failed' ? { failure: failureOf(ending, failureWords, script?.failure) } : {}),
    ...(waits ? { poll_after_seconds: pollAfterSeconds } : {}),
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
