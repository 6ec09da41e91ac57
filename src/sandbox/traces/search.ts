/** One search: everything it will ever be is fixed when it starts; the clock reveals it. */

import { draw, drawDuration, pick, seededUuid } from '../chance';
import type { JsonObject } from '../engine/answer';
import type {
  strategyWords,
  TargetScript,
  TraceEnding,
  TraceScenario,
  traceStatusWords,
  traceTypeWords,
} from './trace-scenario';

export type TraceStatus = (typeof traceStatusWords)[number];
export type TraceType = (typeof traceTypeWords)[number];
export type Strategy = (typeof strategyWords)[number];

export interface Search {
  id: string;
  /** Order of entry. */
  ordinal: number;
  target: string;
  type: TraceType;
  strategy: Strategy;
  ending: TraceEnding;
  script: TargetScript | undefined;
  /** Instants, in milliseconds; `endsAt` is infinite when it never settles. */
  createdAt: number;
  startsAt: number;
  endsAt: number;
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

export function beginSearch({
  seed,
  ordinal,
  ofTarget,
  target,
  strategy,
  ending,
  script,
  timing,
  at,
}: {
  seed: number;
  ordinal: number;
  /** Which search of this target, from 1. */
  ofTarget: number;
  target: string;
  strategy: Strategy;
  ending: TraceEnding;
  script: TargetScript | undefined;
  timing: TraceScenario['timing'];
  at: number;
}): Search {
  const words = [seed, 'trace', target, ofTarget];
  const waiting = script?.waitingMs ?? timing.waitingMs;
  const processing = script?.processingMs ?? timing.processingMs;
  const startsAt = at + drawDuration(waiting, timing.distribution, ...words, 'waiting');
  const processingMs = drawDuration(processing, timing.distribution, ...words, 'processing');
  return {
    id: seededUuid(words.join('|')),
    ordinal,
    target,
    type: script?.type ?? typeOf(target),
    strategy,
    ending,
    script,
    createdAt: at,
    startsAt,
    endsAt: ending === 'never_settles' ? Number.POSITIVE_INFINITY : startsAt + processingMs,
  };
}

/** How a type is derived is not shown: this is our reading. */
export function typeOf(target: string): TraceType {
  const text = target.trim();
  if (/^0x[0-9a-f]{40}$/i.test(text) || /^(bc1|[13])[0-9a-z]{25,60}$/i.test(text)) return 'wallet';
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return 'email';
  return /^\+?[\d\s().-]{8,20}$/.test(text) ? 'phone' : 'username';
}

export function searchStatusAt(search: Search, now: number): TraceStatus {
  if (now >= search.endsAt) return settledAs[search.ending];
  return now < search.startsAt ? 'queued' : 'running';
}

const sourcesOf: Record<TraceType, [string, ...string[]]> = {
  email: ['contas_publicas', 'vazamentos', 'dominios'],
  phone: ['operadoras', 'mensageiros', 'cadastros'],
  username: ['redes_sociais', 'foruns', 'repositorios'],
  wallet: ['blockchain', 'corretoras', 'listas_de_sancoes'],
};

/** What each source came to: its status and how many records it gave. */
export function coverageAt(search: Search, seed: number, now: number): Record<string, JsonObject> {
  const sources = search.script?.sources ?? sourcesOf[search.type];
  const missing = missingSourcesOf(search, seed, sources);
  const span = search.endsAt - search.startsAt;
  let matched = false;
  const told = sources.map((source, index) => {
    const doneAt = search.startsAt + (span * (index + 1)) / sources.length;
    if (now < search.startsAt) return [source, { status: 'pending' }];
    if (!(now >= doneAt)) return [source, { status: 'running' }];
    if (matched && search.strategy === 'first_match') return [source, { status: 'skipped' }];
    if (missing.includes(source)) return [source, { status: 'failed', reason: 'timeout' }];
    const records = Math.floor(draw(seed, 'records', search.id, source) * 4);
    matched ||= records > 0;
    return [source, { status: 'completed', records }];
  });
  return Object.fromEntries(told) as Record<string, JsonObject>;
}

function missingSourcesOf(search: Search, seed: number, sources: readonly string[]) {
  const { ending, script } = search;
  const named = script?.missingSources ?? [];
  if (named.length > 0 || ending !== 'partial') return named;
  const [first = '', ...more] = sources;
  return [pick([first, ...more], seed, 'missing', search.id)];
}
