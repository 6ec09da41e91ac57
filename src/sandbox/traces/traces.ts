/** Searches: their routes, and what the service holds. */

import { z } from 'zod';
import type { JsonObject } from '../engine/answer';
import { IdempotencyKeys, type KeySeen } from '../engine/idempotency-keys';
import { listPage, readListWish } from '../engine/list-pages';
import { Refusal } from '../engine/problem';
import { readBodyAs } from '../engine/request-body';
import {
  createResourceService,
  uuidIn,
  type PreparedResourceCall,
  type ResourceRequest,
  type ResourceRoute,
} from '../engine/resource-service';
import { stepAt } from '../faults/fault-plan';
import type { ResourceParts } from '../resource-parts';
import { beginSearch, searchStatusAt, type Search } from './search';
import {
  strategyWords,
  traceRoles,
  traceStatusWords,
  traceTypeWords,
  type TraceEnding,
  type TraceStage,
} from './trace-scenario';
import { searchOnWire } from './trace-wire';

export const tracesPath = '/api/v1/rastro';

/** A search as a read would show it now, and how it ends or has ended. */
export interface TraceHeld {
  ending: TraceEnding;
  search: JsonObject;
}

export interface TraceCounts {
  /** Calls by kind. */
  calls: Record<TraceStage, number>;
  keys: KeySeen[];
  items: {
    target: string;
    /** POSTs that arrived for the target, whatever came of them. */
    requested: number;
    /** Searches that really began: more than asked for is one paid twice. */
    started: number;
    reads: number;
  }[];
}

const createBody = z.strictObject({
  target: z.string().min(1).max(1000),
  strategy: z.enum(strategyWords).optional(),
});

export function createTraces(parts: ResourceParts & { capacity: number }) {
  const { clock, seed } = parts;
  const scenario = () => parts.scenario().traces;
  const keys = new IdempotencyKeys(() => scenario().repeatedKey);
  const searches = new Map<string, Search>();
  const counts = new Map<string, Omit<TraceCounts['items'][number], 'target'>>();

  const scriptOf = (target: string) => scenario().targets[target] ?? scenario().targets['*'];
  const shown = (search: Search) =>
    searchOnWire(search, { seed, now: clock.now(), scenario: scenario() });
  const about = ({ id, target: subject }: Search): Omit<PreparedResourceCall, 'act'> => ({
    subject,
    id,
  });

  function countsOf(target: string) {
    const line = counts.get(target) ?? { requested: 0, started: 0, reads: 0 };
    counts.set(target, line);
    return line;
  }

  function prepareCreate(request: ResourceRequest): PreparedResourceCall {
    const key = keys.arrived(request.headers);
    request.entry.key = key;
    const body = readBodyAs(createBody, request);
    request.entry.body = body;
    const { target } = body;
    const line = countsOf(target);
    line.requested += 1;
    const status = scenario().successStatus;
    const asked = `trace|${target}|${body.strategy ?? ''}`;
    const made = searches.get(keys.made(key, asked) ?? '');
    if (made !== undefined) {
      return { ...about(made), act: () => ({ status, json: shown(made) }) };
    }
    if (searches.size >= parts.capacity) {
      throw new Refusal(507, 'sandbox_full', `The sandbox holds ${parts.capacity} already.`);
    }
    return {
      subject: target,
      id: null,
      act: () => {
        const search = begin(target, body.strategy ?? scenario().defaultStrategy);
        keys.bind(key, asked, search.id);
        // As it stands at birth, even where the scenario lets it settle at once.
        const now = Number.NEGATIVE_INFINITY;
        return { status, json: searchOnWire(search, { seed, now, scenario: scenario() }) };
      },
    };
  }

  function begin(target: string, strategy: Search['strategy']): Search {
    const line = countsOf(target);
    const script = scriptOf(target);
    const search = beginSearch({
      seed,
      ordinal: searches.size + 1,
      ofTarget: line.started + 1,
      target,
      strategy,
      ending: stepAt(script?.end ?? [], line.started)?.kind ?? 'completed',
      script,
      timing: scenario().timing,
      at: clock.now(),
    });
    line.started += 1;
    searches.set(search.id, search);
    return search;
  }

  function prepareRead({ params }: ResourceRequest): PreparedResourceCall {
    if (scenario().readRoute === 'unknown') {
      throw new Refusal(404, 'unknown_route', 'The sandbox has no route to read a search.');
    }
    if (scenario().readRoute === 'not_allowed') {
      throw new Refusal(405, 'method_not_allowed', 'A search cannot be read by itself.');
    }
    const search = searches.get(uuidIn(params, 'id'));
    if (search === undefined) throw new Refusal(404, 'rastro_not_found', 'No such search.');
    countsOf(search.target).reads += 1;
    return { ...about(search), act: () => ({ status: 200, json: shown(search) }) };
  }

  function prepareList({ query }: ResourceRequest): PreparedResourceCall {
    const { statusName, typeName } = scenario();
    const wish = readListWish(query, scenario(), [
      { name: statusName, words: traceStatusWords, field: 'status' },
      { name: typeName, words: traceTypeWords, field: 'type' },
    ]);
    const items = () =>
      [...searches.values()].map((search) => ({
        ordinal: search.ordinal,
        words: { status: searchStatusAt(search, clock.now()), type: search.type },
        show: () => shown(search),
      }));
    return {
      subject: '',
      id: null,
      act: () => ({ status: 200, json: listPage(items(), wish, scenario()) }),
    };
  }

  const routes: ResourceRoute<TraceStage>[] = [
    { method: 'POST', path: tracesPath, stage: 'create', query: [], prepare: prepareCreate },
    { method: 'GET', path: tracesPath, stage: 'list', query: 'any', prepare: prepareList },
    { method: 'GET', path: `${tracesPath}/:id`, stage: 'read', query: [], prepare: prepareRead },
  ];

  const service = createResourceService<TraceStage>({
    ...parts,
    name: 'trace',
    roles: traceRoles,
    latencyMs: () => parts.scenario().latencyMs,
    rateLimitPerSecond: () => scenario().rateLimitPerSecond,
    cursorName: () => scenario().cursorName,
    stepsOf: (stage, target) => {
      const own = stage === 'list' ? [] : (scriptOf(target)?.[stage] ?? []);
      return own.length > 0 ? own : scenario().calls[stage];
    },
    background: () => scenario().background,
    routes,
  });

  return {
    paths: [tracesPath],
    serve: service.serve,
    received: service.received,
    clearReceived: service.clearReceived,
    counts: (): TraceCounts => ({
      calls: service.calls(),
      keys: keys.seen(),
      items: [...counts].map(([target, line]) => ({ target, ...line })),
    }),
    state: (): TraceHeld[] =>
      [...searches.values()].map((search) => ({ ending: search.ending, search: shown(search) })),
    patched: (): void => service.restartFaults(),
    reset(): void {
      service.reset();
      keys.clear();
      searches.clear();
      counts.clear();
    },
  };
}
