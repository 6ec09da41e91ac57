import type { Trace, TraceState, TraceStrategy, TraceType } from '../../domain/traces/trace';
import type { TraceAssumptions } from '../assumptions';
import { callTo, type BeforeSend, type HttpCall } from '../http/call';
import { StatusError } from '../http/errors';
import type { CallPriority } from '../http/limiter';
import { parseJson } from '../http/problem';
import type { Service } from '../http/service';
import { idempotencyKey } from './idempotency-key';
import {
  findListed,
  listQuery,
  pageFromWire,
  walkPages,
  type ListFilter,
  type Page,
} from './pages';
import { traceFromWire, traceWire } from './wire/traces.wire';

/** Bytes. A result is of unknown size; a page has 100 of them at most. */
const maxBytes = 16 * 1024 * 1024;
const maxPageBytes = 64 * 1024 * 1024;
const readTemplate = '/rastro/{id}';

export interface TraceRequest {
  /** E-mail, phone, username or wallet: personal data. The service derives the type from it. */
  target: string;
  /** Not sent when null: the default is not documented. */
  strategy: TraceStrategy | null;
  /** The same for every repetition. */
  key: string;
}

/** Filter of the list. Omitted fields are not sent. A service may ignore any of it. */
export interface TraceFilter extends ListFilter {
  status?: TraceState;
  type?: TraceType;
}

/** The decoded and the raw response. */
export interface TraceAnswer {
  trace: Trace;
  answer: object;
}

/** Trace calls (specification: "Trace"). Retries nothing. */
export class TracesApi {
  readonly service: Service;
  readonly timeoutMs: number;
  readonly #assumptions: TraceAssumptions;
  #readsById: boolean;

  constructor(service: Service, assumptions: TraceAssumptions, timeoutMs = 30_000) {
    this.service = service;
    this.timeoutMs = timeoutMs;
    this.#assumptions = assumptions;
    this.#readsById = assumptions.read !== 'list';
  }

  /**
   * Starts a search, which may be charged. May be repeated with the same key.
   *
   * @param signal cancels it before it is sent, never after
   * @param beforeSend awaited right before it is sent, after the permit
   */
  async create(
    { target, strategy, key }: TraceRequest,
    signal?: AbortSignal,
    beforeSend?: BeforeSend,
  ): Promise<TraceAnswer> {
    const call: HttpCall = {
      ...this.#call('POST', '/rastro'),
      headers: idempotencyKey(key),
      seenThrough: true,
      beforeSend,
      json: { target, ...(strategy !== null && { strategy }) },
    };
    const { body } = await this.service.call(call, 'request', signal);
    return { trace: traceFromWire(call, null, body), answer: parseJson(body) as object };
  }

  /**
   * A search by its id: an assumption (`traces.read`). When the route is missing, the documented list is searched from
   * then on.
   *
   * @throws StatusError 404 when there is no such search; ContractError as `findListed`
   */
  async read(
    traceId: string,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): Promise<TraceAnswer> {
    if (!this.#readsById) {
      const found = await this.#findListed(traceId, priority, signal);
      if (found !== null) return found;
      throw notListed();
    }
    try {
      return await this.#readById(traceId, priority, signal);
    } catch (error) {
      if (this.#assumptions.read === 'id' || !mayBeNoRoute(error)) throw error;
      const found = await this.#findListed(traceId, priority, signal);
      // A search missing in the list too says nothing about the route.
      if (found === null) throw error;
      this.#readsById = false;
      return found;
    }
  }

  /**
   * One page. Check every item by its own fields: the filter may have been ignored.
   *
   * @throws ContractError when the response is no list
   */
  async list(
    filter: TraceFilter,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): Promise<Page<Trace>> {
    const call = { ...this.#listCall, query: listQuery(this.#assumptions, filter) };
    return pageFromWire(call, traceWire, (await this.service.call(call, priority, signal)).body);
  }

  /** All pages, one at a time. */
  pages(
    filter: Omit<TraceFilter, 'cursor'>,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): AsyncGenerator<Page<Trace>> {
    return walkPages(this.#listCall, (cursor) =>
      this.list({ ...filter, ...(cursor !== null && { cursor }) }, priority, signal),
    );
  }

  async #readById(
    traceId: string,
    priority: CallPriority,
    signal?: AbortSignal,
  ): Promise<TraceAnswer> {
    const call = this.#call('GET', readTemplate, traceId);
    const { body } = await this.service.call(call, priority, signal);
    return { trace: traceFromWire(call, traceId, body), answer: parseJson(body) as object };
  }

  async #findListed(
    traceId: string,
    priority: CallPriority,
    signal?: AbortSignal,
  ): Promise<TraceAnswer | null> {
    const pages = this.pages({ pageSize: 100 }, priority, signal);
    const found = await findListed(this.#listCall, pages, traceId);
    return found && { trace: found.item, answer: found.answer };
  }

  get #listCall(): HttpCall {
    return { ...this.#call('GET', '/rastro'), maxBytes: maxPageBytes };
  }

  #call(method: string, pathTemplate: string, id = ''): HttpCall {
    return callTo(method, pathTemplate, { id }, { timeoutMs: this.timeoutMs, maxBytes });
  }
}

/** As from the service: there is only the list. */
function notListed(): StatusError {
  return new StatusError(
    { method: 'GET', pathTemplate: '/rastro' },
    {
      status: 404,
      code: 'not_listed',
      requestId: null,
      retryable: null,
      retryAfterMs: null,
      hasProblem: false,
      location: null,
      elsewhere: false,
      wasNotProcessed: false,
    },
  );
}

/** Responses of a service that cannot read a search by id. */
const noRoute: readonly number[] = [400, 404, 405, 410, 501];

function mayBeNoRoute(error: unknown): boolean {
  return error instanceof StatusError && noRoute.includes(error.status);
}
