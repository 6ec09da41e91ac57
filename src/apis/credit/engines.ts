import type { EngineFields } from '../../domain/credit/engine';
import { type Engine, engineFromWire, enginesFromWire, refusePage } from './engines.wire';
import { stringifyWithTexts } from '../../domain/core/json-text';
import { callTo, type HttpCall } from '../http/call';
import type { CallPriority } from '../http/limiter';
import type { Service } from '../http/service';

const maxBytes = 16 * 1024 * 1024;
/** Guard against an endless list. */
const mostPages = 1_000;

/** A new engine: `rules`, or the id of an engine whose rules are copied, or both. */
export interface EngineCreation extends EngineFields {
  name: string;
  cloneFrom?: string;
}

/** Calls about engines (specification: "Endpoints"). Retries nothing. */
export class EnginesApi {
  readonly service: Service;
  readonly timeoutMs: number;

  constructor(service: Service, timeoutMs: number) {
    this.service = service;
    this.timeoutMs = timeoutMs;
  }

  /**
   * All engines, over all pages.
   *
   * @throws ContractError with the code `only_a_page` when pages are missing, and cannot be requested
   */
  async list(priority: CallPriority = 'interactive'): Promise<Engine[]> {
    const call = this.#call('GET', '/v1/engines');
    const found = new Map<string, Engine>();
    let query: Record<string, string> = {};
    let isAgain = false;
    for (let pages = 1; pages <= mostPages; pages += 1) {
      const { body, headers } = await this.service.call({ ...call, query }, priority);
      const page = enginesFromWire(call, body, String(headers['link'] ?? ''));
      const before = found.size;
      for (const engine of page.engines) found.set(engine.id, engine);
      const hasNew = found.size > before;
      const isWhole = page.total <= found.size && page.totalPages <= pages;
      const saysMore = page.more !== null || !isWhole;
      const next = page.next ?? (saysMore ? page.numbered : null);
      if (next === null && !saysMore) return [...found.values()];
      if (next === null) refusePage(call, page.more ?? 'total');
      // The last page may name itself as the next one, or a cursor beside the end.
      if (isWhole && !hasNew && (isAgain || page.saysEnd)) return [...found.values()];
      // A service that ignores the query returns the first page again.
      if (!hasNew) refusePage(call, Object.keys(next).join('&'));
      isAgain = JSON.stringify(next) === JSON.stringify(query);
      query = next;
    }
    return refusePage(call, 'next');
  }

  async read(id: string, priority: CallPriority = 'interactive'): Promise<Engine> {
    const call = this.#call('GET', '/v1/engines/{id}', id);
    return engineFromWire(call, (await this.service.call(call, priority)).body);
  }

  /** POST without a key: check the list before a repetition. */
  async create(creation: EngineCreation): Promise<Engine> {
    const call = { ...this.#call('POST', '/v1/engines'), ...bodyOf(creation), keyless: true };
    return engineFromWire(call, (await this.service.call(call, 'interactive')).body);
  }

  /** Omitted fields stay. May be repeated. */
  async update(id: string, change: EngineFields): Promise<Engine> {
    const call = { ...this.#call('PUT', '/v1/engines/{id}', id), ...bodyOf(change) };
    return engineFromWire(call, (await this.service.call(call, 'interactive')).body);
  }

  /** May be repeated: 404 then means that it is gone. */
  async remove(id: string): Promise<void> {
    await this.service.call(this.#call('DELETE', '/v1/engines/{id}', id), 'interactive');
  }

  #call(method: string, pathTemplate: string, id = ''): HttpCall {
    return callTo(method, pathTemplate, { id }, { timeoutMs: this.timeoutMs, maxBytes });
  }
}

/** Rules given as text are sent unchanged. */
function bodyOf(fields: EngineFields): Pick<HttpCall, 'jsonText'> {
  return { jsonText: stringifyWithTexts(fields) };
}
