import { Agent, Pool } from 'undici';
import { AddressGuard, RefusedAddressError } from '../../protection/address-guard';
import { Answers } from './answers';
import type { HttpCall } from './call';
import { CallEnd } from './call-end';
import { classifyFailure } from './classify';
import {
  ConnectionError,
  StatusError,
  TimeoutError,
  isHttpError,
  safeCause,
  type Sent,
} from './errors';
import {
  readWhole,
  streamedAnswer,
  wholeAnswer,
  type Exchange,
  type HttpAnswer,
  type HttpHead,
  type HttpStream,
} from './exchange';
import { Limiter, type CallPriority } from './limiter';
import type { CallEnding, CallObserver } from './observer';
import { Token } from './token';

export interface ServiceOptions {
  /** Base address with its path prefix, as configured. */
  baseUrl: string;
  token: Token;
  /** Initial calls a second. Default: few. */
  ratePerSecond?: number;
  /** Maximum calls a second. Default: none. */
  mostPerSecond?: number | null;
  /** Whether a 503 with Retry-After or a problem body was certainly not processed. */
  resendOn503?: boolean;
  /** Default 10,000. A call queued behind a connect is not interrupted by its own timeout. */
  connectTimeoutMs?: number;
  /** As of the limiter: true for a command. */
  keepsAlive?: boolean;
  /** For addresses that the service names; default: public addresses only. */
  guard?: AddressGuard;
  observer?: CallObserver;
  now?: () => number;
}

/**
 * One HTTP service: its address, credential, limiter and connections. One call is one undici
 * request: no retries, no redirects.
 */
export class Service {
  readonly limiter: Limiter;
  readonly baseUrl: string;
  readonly origin: string;
  readonly token: Token;
  readonly #observer: CallObserver | undefined;
  readonly #now: () => number;
  readonly #guard: AddressGuard;
  readonly #pooled: Agent;
  readonly #fresh: Pool;
  readonly #elsewhere: Agent;
  readonly #answers: Answers;

  constructor({
    baseUrl,
    token,
    ratePerSecond,
    mostPerSecond = null,
    resendOn503 = true,
    connectTimeoutMs = 10_000,
    keepsAlive = false,
    guard = new AddressGuard(),
    observer,
    now = Date.now,
  }: ServiceOptions) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.origin = new URL(baseUrl).origin;
    this.token = token;
    this.limiter = new Limiter({
      ...(ratePerSecond !== undefined && { perSecond: ratePerSecond }),
      cap: mostPerSecond ?? Number.POSITIVE_INFINITY,
      now,
      keepsAlive,
      onWaited: (priority, waitedMs) => observer?.permitAwaited(priority, waitedMs),
    });
    this.#observer = observer;
    this.#answers = new Answers({ limiter: this.limiter, token, resendOn503, now });
    this.#now = now;
    this.#guard = guard;
    const connect = { timeout: connectTimeoutMs };
    const limits = { connect, allowH2: false, connections: null } as const;
    const kept = { ...limits, keepAliveTimeout: 4_000, pipelining: 1 };
    this.#pooled = new Agent(kept);
    // An Agent would drop its pool, and create another, whenever nothing is connected.
    this.#fresh = new Pool(this.origin, { ...limits, pipelining: 0 });
    this.#elsewhere = new Agent({ ...kept, connect: guard.connector(connectTimeoutMs) });
  }

  /** Waits for a permit, then sends. */
  async call(call: HttpCall, priority: CallPriority, signal?: AbortSignal): Promise<HttpAnswer> {
    await this.#permit(call, priority, signal);
    return this.dispatch(call, signal);
  }

  /**
   * Sends at once, for a caller that holds a permit.
   *
   * @throws ConnectionError, TimeoutError with `sent`, StatusError for anything but 2xx
   */
  async dispatch(call: HttpCall, signal?: AbortSignal): Promise<HttpAnswer> {
    return this.#observed(call, signal, wholeAnswer, async (answer) => answer);
  }

  /**
   * Waits for a permit, sends, and streams a 2xx response: for large ones. The call lasts until `take` is done; its
   * errors pass through.
   *
   * @throws as `dispatch`
   */
  async streamed<T>(
    call: HttpCall,
    take: (answer: HttpStream) => Promise<T>,
    priority: CallPriority,
    signal?: AbortSignal,
  ): Promise<T> {
    await this.#permit(call, priority, signal);
    return this.#observed(call, signal, streamedAnswer, take);
  }

  async close(): Promise<void> {
    await Promise.all([this.#pooled, this.#fresh, this.#elsewhere].map((one) => one.destroy()));
  }

  /**
   * An address that the service named: its own, or one that the guard allows.
   *
   * @param from address of the redirect; default: the service's own
   * @throws RefusedAddressError
   */
  follow(address: string, from?: URL): URL {
    const named = from === undefined ? this.#behindGateway(address) : address;
    return this.#guard.follow(named, from ?? new URL(this.origin), this.origin);
  }

  /** The service names paths from its own /api/v1 on, and may not know what a gateway puts before it. */
  #behindGateway(address: string): string {
    const [, before, own] = /^(\/.+)(\/api\/v\d+)$/.exec(new URL(this.baseUrl).pathname) ?? [];
    return own !== undefined && address.startsWith(`${own}/`) ? `${before}${address}` : address;
  }

  #report(
    { method, pathTemplate }: HttpCall,
    startedAt: number,
    ending: CallEnding,
    status: number | null,
    error?: unknown,
  ): void {
    this.#observer?.callEnded({
      method,
      pathTemplate,
      ending,
      status,
      error: error === undefined ? null : safeCause(error).name,
      durationMs: this.#now() - startedAt,
      perSecond: this.limiter.rate.perSecond,
      credentialsRefused: error instanceof StatusError && classifyFailure(error) === 'credentials',
    });
  }

  async #permit(call: HttpCall, priority: CallPriority, signal?: AbortSignal): Promise<void> {
    if (!(await this.limiter.acquire(priority, { signal }))) throw calledOff(call);
  }

  async #observed<Answer extends HttpAnswer | HttpStream, T>(
    call: HttpCall,
    signal: AbortSignal | undefined,
    send: (exchange: Exchange) => Promise<Answer>,
    take: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    const startedAt = this.#now();
    this.#observer?.callStarted();
    let status: number | null = null;
    // It aborts a sent request too, unless `seenThrough` is set.
    const broken = call.seenThrough === true ? undefined : signal;
    const end = new CallEnd(broken);
    try {
      const answer = await this.#send(call, signal, end, send);
      if (answer.status < 200 || answer.status >= 300) {
        const whole = await readWhole(answer);
        throw this.#answers.refused(call, whole, startedAt, this.#isElsewhere(call));
      }
      status = answer.status;
      if (!this.#isElsewhere(call)) this.#answers.good(call, startedAt);
      const taken = await take(answer);
      this.#report(call, startedAt, 'answered', status);
      return taken;
    } catch (error) {
      end.abandon();
      const refused = error instanceof StatusError ? error.status : null;
      // An error of `take` itself (a full disk, an unreadable body) is not an error of the call.
      if (status !== null && !isHttpError(error)) {
        this.#report(call, startedAt, 'answered', status, error);
      } else this.#report(call, startedAt, endingOf(error, broken), refused, error);
      throw error;
    } finally {
      end.release();
    }
  }

  async #send<Answer>(
    call: HttpCall,
    signal: AbortSignal | undefined,
    end: CallEnd,
    send: (exchange: Exchange) => Promise<Answer>,
  ): Promise<Answer> {
    const url = await this.#url(call);
    const headers = await this.#headers(call, url);
    const beforeDispatch = await call.beforeSend?.();
    const json = call.json === undefined ? null : JSON.stringify(call.json);
    let starts = 0;
    const toError = (error: unknown, head: HttpHead | null = null): Error => {
      const sent: Sent = starts === 0 ? 'no' : 'maybe';
      if (error instanceof RefusedAddressError) return error;
      const location = locationOf(head);
      if (error instanceof ConnectionError && location === null) return error;
      if (error instanceof ConnectionError)
        return new ConnectionError(call, error.sent, error.safeCause, location);
      if (end.isLate) return new TimeoutError(call, sent, call.timeoutMs, location);
      return new ConnectionError(call, sent, safeCause(error), location);
    };
    if (signal?.aborted === true) throw calledOff(call);
    // No await from here to the dispatch: this check must still hold when bytes are sent.
    beforeDispatch?.();
    const own = call.keyless === true ? this.#fresh : this.#pooled;
    return send({
      dispatcher: url.origin === this.origin ? own : this.#elsewhere,
      request: {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: call.method,
        headers,
        body: call.form ?? call.stream ?? call.jsonText ?? json,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      call,
      end,
      onStart: () => (starts += 1),
      toError,
    });
  }

  async #url(call: HttpCall): Promise<URL> {
    const base = /^https?:\/\//.test(call.path) ? '' : this.baseUrl;
    const url = new URL(`${base}${call.path}`);
    for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
    if (call.token === 'query' && url.origin === this.origin) {
      url.searchParams.set('token', await this.token.current());
    }
    return url;
  }

  async #headers(call: HttpCall, url: URL): Promise<Record<string, string>> {
    if (call.exactHeaders === true) return { ...call.headers };
    const headers: Record<string, string> = {
      accept: 'application/json, application/problem+json, application/pdf;q=0.9, */*;q=0.1',
      // A response that is compressed anyway is decompressed within the byte limit.
      'accept-encoding': 'identity',
      'user-agent': 'diligence',
      ...call.headers,
    };
    if ((call.jsonText ?? call.json) !== undefined) headers['content-type'] = 'application/json';
    if (call.token === 'bearer' && url.origin === this.origin) {
      headers['authorization'] = `Bearer ${await this.token.current()}`;
    }
    return headers;
  }

  #isElsewhere({ path }: HttpCall): boolean {
    return /^https?:\/\//.test(path) && new URL(path).origin !== this.origin;
  }
}

function locationOf(head: HttpHead | null): string | null {
  if (head === null || head.status < 200 || head.status >= 300) return null;
  const { location } = head.headers;
  return (Array.isArray(location) ? location[0] : location) ?? null;
}

function calledOff(call: HttpCall): ConnectionError {
  return new ConnectionError(call, 'no', { name: 'AbortError', code: 'ABORTED', syscall: null });
}

function endingOf(error: unknown, signal: AbortSignal | undefined): CallEnding {
  if (error instanceof StatusError) return 'answered';
  const mayHaveArrived = isHttpError(error) && 'sent' in error && error.sent === 'maybe';
  if (!mayHaveArrived) return 'not_sent';
  return signal?.aborted === true ? 'broken_off' : 'no_answer';
}
