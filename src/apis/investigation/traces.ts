import type { TraceStrategy, TraceType, TraceState } from '../../domain/traces/search';
import { type Trace, traceWire } from './wire/traces.wire';
import type { TraceAssumptions } from '../assumptions';
import type { BeforeSend, HttpCall } from '../http/call';
import { StatusError } from '../http/errors';
import type { CallPriority } from '../http/limiter';
import type { Service } from '../http/service';
import { ListedApi, type ListFilter } from './pages';
import { idempotencyKey, type Answer } from './resource';

export interface TraceRequest {
  /** E-mail, phone, username or wallet: personal data. The service derives the type from it. */
  target: string;
  /** Not sent when null: the default is not documented. */
  strategy: TraceStrategy | null;
  /** The same for every repetition. */
  key: string;
}

/** A service may ignore any of it. */
export interface TraceFilter extends ListFilter {
  status?: TraceState;
  type?: TraceType;
}

export type TraceAnswer = Answer<'trace', Trace>;

/** Trace calls (specification: "Trace"). */
export class TracesApi extends ListedApi<'trace', Trace, TraceFilter> {
  readonly #read: TraceAssumptions['read'];
  #readsById: boolean;

  constructor(service: Service, assumptions: TraceAssumptions, timeoutMs = 30_000) {
    const shape = { name: 'trace', wire: traceWire, id: 'traceId' } as const;
    super(service, timeoutMs, shape, '/rastro', assumptions);
    this.#read = assumptions.read;
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
      ...this.callTo('POST', '/rastro'),
      headers: idempotencyKey(key),
      seenThrough: true,
      beforeSend,
      json: { target, ...(strategy !== null && { strategy }) },
    };
    return this.answerTo(call, null, 'request', signal);
  }

  /**
   * A search by its id: an assumption (`traces.read`). When the route is missing, the documented list is searched from
   * then on.
   *
   * @throws StatusError 404 when there is no such search; ContractError as `findListed`
   */
  async read(
    id: string,
    priority: CallPriority = 'poll',
    signal?: AbortSignal,
  ): Promise<TraceAnswer> {
    if (!this.#readsById) {
      const found = await this.findListed(id, priority, signal);
      if (found !== null) return found;
      throw notListed();
    }
    try {
      const call = this.callTo('GET', '/rastro/{id}', { id });
      return await this.answerTo(call, id, priority, signal);
    } catch (error) {
      if (this.#read === 'id' || !mayBeNoRoute(error)) throw error;
      const found = await this.findListed(id, priority, signal);
      // A search missing in the list too says nothing about the route.
      if (found === null) throw error;
      this.#readsById = false;
      return found;
    }
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
