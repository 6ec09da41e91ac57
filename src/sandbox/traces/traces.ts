/** Searches: their routes, and what the service holds. */

import { z } from 'zod';
import { seededUuid } from '../core/chance';
import { createTally } from '../core/tally';
import { beginWork } from '../core/work';
import { endingAt } from '../faults/fault-plan';
import { Refusal, sandboxFull } from '../http/answer';
import { createKeys } from '../http/idempotency-keys';
import { readPage } from '../http/list-pages';
import { readBodyAs, refuseRoute, uuidIn, type Request } from '../http/request';
import { createService, type PreparedCall, type ResourceParts } from '../http/service';
import { searchOnWire, searchStatusAt, typeOf, type Search } from './search';
import { strategyWords, traceRoles, traceStatusWords, traceTypeWords } from './trace-scenario';
import type { TraceStage } from './trace-scenario';

const tracesPath = '/api/v1/rastro';

const noCounts = {
  target: '',
  /** POSTs that arrived for the target, whatever came of them. */
  requested: 0,
  /** Searches that really began: more than asked for is one paid twice. */
  started: 0,
  reads: 0,
};

const createBody = z.strictObject({
  target: z.string().min(1).max(1000),
  strategy: z.enum(strategyWords).optional(),
});

export function createTraces(parts: ResourceParts) {
  const { capacity, clock, seed } = parts;
  const scenario = () => parts.scenario().traces;
  const keys = createKeys(() => scenario().repeatedKey);
  const searches = new Map<string, Search>();
  const tally = createTally(noCounts);

  const scriptOf = (target: string) => scenario().targets[target] ?? scenario().targets['*'];
  const countsOf = (target: string) => tally.of(target, { target });
  const shown = (search: Search, now = clock.now()) =>
    searchOnWire(search, seed, now, scenario().pollAfterSeconds);
  const about = (search: Search, status = 200): PreparedCall => ({
    subject: search.target,
    id: search.id,
    act: () => ({ status, json: shown(search) }),
  });

  function prepareCreate(request: Request): PreparedCall {
    const key = keys.arrived(request);
    const { target, strategy } = readBodyAs(createBody, request);
    countsOf(target).requested += 1;
    const status = scenario().successStatus;
    const asked = `trace|${target}|${strategy ?? ''}`;
    const made = searches.get(key.made(asked) ?? '');
    if (made !== undefined) return about(made, status);
    if (searches.size >= capacity) throw sandboxFull(capacity);
    return {
      subject: target,
      id: null,
      act: () => {
        const search = begin(target, strategy ?? 'all');
        key.bind(asked, search.id);
        // As it stands at birth, even where the scenario lets it settle at once.
        return { status, json: shown(search, -Infinity) };
      },
    };
  }

  function begin(target: string, strategy: Search['strategy']): Search {
    const counts = countsOf(target);
    const script = scriptOf(target);
    const ending = endingAt(script?.end, counts.started);
    counts.started += 1;
    const words = [seed, 'trace', target, counts.started];
    const search: Search = {
      ...beginWork(clock.now(), ending, scenario().timing, words, script),
      id: seededUuid(words.join('|')),
      target,
      type: script?.type ?? typeOf(target),
      strategy,
      script,
    };
    searches.set(search.id, search);
    return search;
  }

  function prepareRead(request: Request): PreparedCall {
    refuseRoute(scenario().readRoute);
    const search = searches.get(uuidIn(request, 'id'));
    if (search === undefined) throw new Refusal(404, 'rastro_not_found', 'No such search.');
    countsOf(search.target).reads += 1;
    return about(search);
  }

  function prepareList({ query }: Request): PreparedCall {
    const { statusName, typeName } = scenario();
    const wordOf = (search: Search) => searchStatusAt(search, clock.now());
    const page = readPage<Search>(query, scenario(), [
      { name: statusName, words: traceStatusWords, wordOf },
      { name: typeName, words: traceTypeWords, wordOf: ({ type }) => type },
    ]);
    const json = () => page([...searches.values()], (search) => shown(search));
    return { subject: '', id: null, act: () => ({ status: 200, json: json() }) };
  }

  const service = createService<TraceStage>({
    ...parts,
    name: 'trace',
    paths: [tracesPath],
    roles: traceRoles,
    section: scenario,
    scriptOf: ({ subject }) => scriptOf(subject),
    routes: () => [
      ['POST', tracesPath, 'create', prepareCreate],
      ['GET', tracesPath, 'list', prepareList, { query: 'any' }],
      ['GET', `${tracesPath}/:id`, 'read', prepareRead],
    ],
  });

  return {
    ...service,
    counts: () => ({ calls: service.calls(), keys: keys.seen(), items: tally.all() }),
    state: () =>
      [...searches.values()].map((search) => ({ ending: search.ending, search: shown(search) })),
  };
}
